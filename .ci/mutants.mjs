// Mutation tests (docs/reliability.md, "Mutation tests"): changes the code in small ways, one at a time, and names each
// change that no test notices. Called by the Makefile.
//   mutants.mjs diff BASE          what differs from BASE, in the files below
//   mutants.mjs all PAGE [ONLY]    all of them whose path has ONLY in it; passes over what was killed to the last one,
//                                  and writes what is known of each file into PAGE
// cargo-mutants says which mutants a Rust file has; mutants-rust.mjs tries them in a clone (target/mutants/tree), never
// in the tree of its author. What was found is kept until the file changes, or until target/mutants/found is deleted.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { tryMutants } from './mutants-rust.mjs'

const HOME = resolve('target/mutants')
const TREE = join(HOME, 'tree')
const CARGO_MUTANTS = resolve('.tools/mutants/bin/cargo-mutants')
const STRYKER = resolve('.tools/stryker/node_modules/.bin/stryker')

const within = (folder, names) => names.split(' ').map((name) => `${folder}/${name}.rs`)

/** Who judges which files: what cargo builds, and which tests of that run. None of them needs a database. */
const JUDGES = [
  {
    package: 'bipe-core',
    build: ['--test=rules'],
    tests: ['--skip=payments::checks', '--skip=vectors::brazil'],
    files: [
      'core/src/money.rs',
      ...within(
        'core/src/subscription',
        'proration period price_lines preview quote purchase change decide projection state ladder',
      ),
      'core/src/payment/decide.rs',
    ],
  },
  {
    package: 'bipe-core',
    build: ['--lib', '--test=rules'],
    tests: ['gateway::webhook', 'payments::signature'],
    files: ['core/src/gateway/webhook.rs'],
  },
  { package: 'bipe-core', build: ['--lib'], tests: ['scope::'], files: ['core/src/scope/mod.rs'] },
  { package: 'bipe-http', build: ['--lib'], tests: ['rate_limit::'], files: ['http/src/rate_limit.rs'] },
  {
    package: 'bipe-actors',
    build: ['--lib'],
    // Nor those that try the tests themselves with a guard taken away.
    tests: ['channel::', 'worker::', '--skip=worker::hub', '--skip=without_any_one_of_its_guards'],
    files: [
      ...within('actors/src/channel', 'sequencer feed log newer catch_up answer'),
      ...within('actors/src/worker', 'inbox queues delivery_queue'),
    ],
  },
]
const WEB = ['web/src/lib/money.ts', 'web/src/live/apply-event.ts', 'web/src/live/patch-cache.ts']
for (const file of [...JUDGES.flatMap(({ files }) => files), ...WEB]) {
  if (!existsSync(file)) throw new Error(`${file} is judged, and is not there`)
}

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim()
const lines = (text) => text.split('\n').filter(Boolean)
const read = (path) => (existsSync(path) ? lines(readFileSync(path, 'utf8')) : [])

/** The clone, at what stands here now; a file that nobody has added to git is not part of it. */
function clone() {
  const commit = git('stash', 'create') || git('rev-parse', 'HEAD')
  mkdirSync(HOME, { recursive: true })
  if (!existsSync(TREE)) git('clone', '--quiet', '--shared', '--no-checkout', '.', TREE)
  git('-C', TREE, 'checkout', '--quiet', '--force', '--detach', commit)
  git('-C', TREE, 'clean', '--quiet', '--force', '-d')
  // What the server embeds; no test of these reads it.
  mkdirSync(join(TREE, 'web/dist'), { recursive: true })
  return commit
}

const SETTINGS = {
  CARGO_TARGET_DIR: join(HOME, 'build'),
  CARGO_PROFILE_DEV_DEBUG: '0',
  // Few lives are enough for one mutant, and always the same ones.
  BIPE_LIVES: '100',
  BIPE_HISTORIES: '200',
  PROPTEST_RNG_SEED: '1',
  RUST_BACKTRACE: '0',
}

/** The mutants of a Rust file, of what a diff touches if there is one. */
async function rustFile(judge, file, ...within) {
  const list = ['mutants', '--list', '--json', `--file=${file}`, ...within]
  const options = { cwd: TREE, encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'inherit'] }
  const listed = JSON.parse(execFileSync(CARGO_MUTANTS, list, options) || '[]')
  console.error(`${file}: ${listed.length} mutants`)
  const found = await tryMutants(judge, file, listed, { tree: TREE, env: { ...process.env, ...SETTINGS } })
  const { killed, timeouts, survived } = found
  return { file, killed: killed.length, timeouts: timeouts.length, survived }
}

const foundOf = (file) => join(HOME, 'found', `${file.replaceAll('/', '.')}.json`)
const hashOf = (file) => git('hash-object', file)

/** What the table says of a file; kept until the file changes. */
function keep(result) {
  const known = { ...result, hash: hashOf(result.file), day: new Date().toISOString().slice(0, 10) }
  mkdirSync(join(HOME, 'found'), { recursive: true })
  writeFileSync(foundOf(result.file), JSON.stringify(known))
  return result
}

/** What was kept of a file that has not changed since. */
function kept(file) {
  const [text] = read(foundOf(file))
  const result = text ? JSON.parse(text) : undefined
  return result?.hash === hashOf(file) ? result : undefined
}

/** The same for files of the web app; stryker keeps its results in target/mutants/stryker.incremental.json. */
function webFiles(files) {
  const report = join(HOME, 'stryker.json')
  rmSync(report, { force: true })
  const args = ['run', 'stryker.config.mjs', `--mutate=${files.map((file) => file.slice('web/'.length)).join(',')}`]
  const { status } = spawnSync(STRYKER, args, { cwd: 'web', stdio: ['ignore', 2, 2] })
  if (!existsSync(report)) throw new Error(`stryker failed (exit code ${status})`)
  // The report has what is kept of other files, too.
  const reported = Object.entries(JSON.parse(readFileSync(report, 'utf8')).files)
  const told = reported.filter(([name]) => files.includes(`web/${name}`))
  return told.map(([name, { mutants }]) => {
    const file = `web/${name}`
    const count = (state) => mutants.filter(({ status }) => status === state).length
    const survived = mutants
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .map(
        ({ location: { start }, mutatorName, replacement }) =>
          `${file}:${start.line}:${start.column}: ${mutatorName}: ${replacement ?? ''}`,
      )
    return keep({ file, killed: count('Killed'), timeouts: count('Timeout'), survived })
  })
}

/** Says what lives; the exit code tells it too. */
function verdict(results) {
  const survived = results.flatMap((result) => result.survived)
  const killed = results.reduce((sum, result) => sum + result.killed + result.timeouts, 0)
  for (const mutant of survived) console.error(`survived: ${mutant}`)
  console.error(`mutants: ${killed + survived.length} tried, ${killed} killed, ${survived.length} survived`)
  process.exitCode = survived.length > 0 ? 1 : 0
}

/** Every file that was tried to its end and has not changed since. */
function table() {
  const files = [...JUDGES.flatMap((judge) => judge.files), ...WEB]
  const finished = files.map(kept).filter(Boolean)
  const row = ({ file, killed, timeouts, survived, day }) => {
    const tried = killed + timeouts + survived.length
    const percent = (Math.floor((1000 * (killed + timeouts)) / tried) / 10).toFixed(1)
    return `| \`${file}\` | ${tried} | ${killed} | ${survived.length} | ${timeouts} | ${percent} | ${day} |`
  }
  return [
    '| File | Mutants | Killed | Survived | Timeouts | Percent | Tried |',
    '|---|--:|--:|--:|--:|--:|---|',
    ...finished.map(row),
  ].join('\n')
}

async function all(page, only = '') {
  const write = () =>
    writeFileSync(page, execFileSync('.ci/part', [page, 'mutants'], { input: table(), encoding: 'utf8' }))
  clone()
  const web = WEB.filter((file) => file.includes(only))
  const results = web.length > 0 ? webFiles(web) : []
  for (const judge of JUDGES) {
    for (const file of judge.files.filter((name) => name.includes(only))) {
      const known = kept(file)
      results.push(known?.survived.length === 0 ? known : keep(await rustFile(judge, file)))
      write()
    }
  }
  write()
  verdict(results)
}

async function diff(base) {
  const from = git('merge-base', base, 'HEAD')
  const commit = clone()
  const changed = lines(git('diff', '--name-only', from, commit))
  const patch = join(HOME, 'diff')
  writeFileSync(patch, `${git('diff', from, commit, '--', '*.rs')}\n`)
  const web = WEB.filter((file) => changed.includes(file))
  const results = web.length > 0 ? webFiles(web) : []
  for (const judge of JUDGES) {
    for (const file of judge.files.filter((name) => changed.includes(name))) {
      results.push(await rustFile(judge, file, `--in-diff=${patch}`))
    }
  }
  verdict(results)
}

const [mode, ...given] = process.argv.slice(2)
if (mode === 'diff') await diff(...given)
else if (mode === 'all') await all(...given)
else throw new Error('usage: mutants.mjs diff BASE | all PAGE [ONLY]')
