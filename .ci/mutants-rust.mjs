// The mutants of a Rust file, all built into one program: the body of each function becomes a `match` over an
// environment variable, with a copy of the body for each mutant and the body as it is for the rest. So a file is built
// a few times, and a mutant costs no more than the tests. Called by mutants.mjs, which says what is built and tested.
// A mutant that does not compile is found by the lines of the compiler's errors, and left out. What cannot be a copy of
// a body (a constant; a function whose type is its body's own) is built alone.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const CHOICE = 'BIPE_MUTANT'
/** Tests that run this long, and this many times as long as with the unchanged code, are taken for endless ones. */
const TIMEOUT = { ms: 20_000, times: 10 }
const STATIC =
  `static ${CHOICE}: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| ` +
  `std::env::var("${CHOICE}").map_or(0, |number| number.parse().unwrap_or(0)));`

const lineCount = (text) => text.split('\n').length - 1

/** Offsets of cargo-mutants' places: lines and characters, both from 1. */
function offsets(text) {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return ({ line, column }) => starts[line - 1] + column - 1
}

/** Where the body of a function opens: its first brace behind comments, attributes and parameters. */
function opening(text, start) {
  let at = start
  for (;;) {
    const line = text.slice(at, text.indexOf('\n', at)).trim()
    if (!line.startsWith('//') && !line.startsWith('#[') && line !== '') break
    at = text.indexOf('\n', at) + 1
  }
  for (let depth = 0; at < text.length; at += 1) {
    if ('(['.includes(text[at])) depth += 1
    if (')]'.includes(text[at])) depth -= 1
    if (text[at] === '{' && depth === 0) return at
  }
  throw new Error(`no body: ${text.slice(start, start + 80)}`)
}

/** Each mutant with its offsets and its number, and the outermost function that it stands in. */
function placed(text, listed) {
  const offset = offsets(text)
  const span = ({ start, end }) => ({ start: offset(start), end: offset(end) })
  const outermost = []
  const functions = listed.flatMap(({ function: own }) => (own ? [span(own.span)] : []))
  functions.sort((a, b) => a.start - b.start || b.end - a.end)
  for (const { start, end } of functions) {
    if (start < (outermost.at(-1)?.end ?? 0)) continue
    outermost.push({ start: opening(text, start), end })
  }
  return listed.map((mutant, index) => {
    const own = span(mutant.span)
    const body = outermost.find(({ start, end }) => start <= own.start && own.end <= end)
    const isCopied = body !== undefined && !/\bimpl\b/.test(mutant.function.return_type)
    return { ...own, name: mutant.name, replacement: mutant.replacement, number: index + 1, body, isCopied }
  })
}

const mutated = (text, { start, end }, mutant) =>
  text.slice(start, mutant.start) + mutant.replacement + text.slice(mutant.end, end)

/** The file with all of them, and which mutant each line is of. */
function braided(text, mutants) {
  let [out, done] = ['', 0]
  const owners = []
  const bodies = [...new Set(mutants.map((mutant) => mutant.body))].sort((a, b) => a.start - b.start)
  for (const body of bodies) {
    const whole = text.slice(body.start, body.end)
    out += `${text.slice(done, body.start)}{ ${STATIC}\nmatch *${CHOICE} {\n`
    for (const mutant of mutants.filter((one) => one.body === body)) {
      const first = lineCount(out) + 1
      out += `${mutant.number} => ${mutated(text, body, mutant)}\n`
      owners.push({ mutant, first, last: lineCount(out) })
    }
    out += `_ => ${whole}\n} }`
    done = body.end
  }
  return { code: out + text.slice(done), owners }
}

/** Builds what the judge asks for: the programs, or the lines of the file with errors and the first complaint. */
function build(judge, file, { tree, env }) {
  const args = ['test', '--no-run', '--locked', '--message-format=json', `--package=${judge.package}`, ...judge.build]
  const options = { cwd: tree, env, encoding: 'utf8', maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'pipe'] }
  const { status, stdout, stderr } = spawnSync('cargo', args, options)
  const messages = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  const own = (span) => (span && !span.file_name.endsWith(file) ? own(span.expansion?.span) : span)
  const errors = messages
    .filter(({ reason, message }) => reason === 'compiler-message' && message.level === 'error')
    .map(({ message }) => message)
  const failed = errors.flatMap(({ spans }) => {
    const span = spans
      .filter((one) => one.is_primary)
      .map(own)
      .find(Boolean)
    return span ? [span.line_start] : []
  })
  const programs = messages.filter(({ executable, profile }) => executable && profile?.test)
  const complaint = status === 0 ? undefined : (errors[0]?.rendered ?? stderr)
  return { failed, programs: programs.map(({ executable }) => executable), complaint }
}

/** How the tests end with one mutant: those of the file's own module first, and the first that fails is enough. */
async function outcome(judge, file, programs, number, { tree, env, patience }) {
  const [folder, module] = file.split('/src/')
  const own = `${module.replace(/(\/mod)?\.rs$/, '').replaceAll('/', '::')}::`
  const skips = judge.tests.filter((test) => test.startsWith('--skip'))
  const runs = [[own, ...skips], judge.tests].flatMap((tests) => programs.map((program) => ({ program, tests })))
  for (const { program, tests } of runs) {
    const child = spawn(program, tests, {
      cwd: join(tree, folder),
      env: { ...env, CARGO_MANIFEST_DIR: join(tree, folder), [CHOICE]: String(number) },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: patience,
      killSignal: 'SIGKILL',
    })
    let failed = false
    child.stdout.on('data', (text) => {
      if (!text.includes('... FAILED')) return
      failed = true
      child.kill('SIGKILL')
    })
    const [status, signal] = await once(child, 'close')
    if (signal === 'SIGKILL' && !failed) return 'timeouts'
    if (status !== 0) return 'killed'
  }
  return 'survived'
}

/**
 * Tries the listed mutants of a file: the names of those that were killed, took too long, survived, and do not compile.
 * `place` has the tree, which is left as it was, and the environment.
 */
export async function tryMutants(judge, file, listed, place) {
  const path = join(place.tree, file)
  const text = readFileSync(path, 'utf8')
  const found = { killed: [], timeouts: [], survived: [], unviable: [] }
  if (listed.length === 0) return found
  const mutants = placed(text, listed)
  const alone = mutants.filter(({ isCopied }) => !isCopied)
  let together = mutants.filter(({ isCopied }) => isCopied)
  let patience
  const judged = async (mutant, programs) => {
    found[await outcome(judge, file, programs, mutant.number, { ...place, patience })].push(mutant.name)
  }
  try {
    for (;;) {
      const { code, owners } = braided(text, together)
      writeFileSync(path, code)
      const { failed, programs, complaint } = build(judge, file, place)
      if (complaint === undefined) {
        const began = performance.now()
        if ((await outcome(judge, file, programs, 0, place)) !== 'survived') {
          throw new Error(`the tests fail as they are: ${programs} ${judge.tests.join(' ')}`)
        }
        patience = Math.round(Math.max(TIMEOUT.ms, TIMEOUT.times * (performance.now() - began)))
        for (const mutant of together) await judged(mutant, programs)
        break
      }
      const bad = new Set(failed.map((line) => owners.find(({ first, last }) => first <= line && line <= last)?.mutant))
      if (bad.size === 0 || bad.has(undefined)) throw new Error(`${file} does not compile\n${complaint}`)
      found.unviable.push(...[...bad].map(({ name }) => name))
      together = together.filter((mutant) => !bad.has(mutant))
    }
    for (const mutant of alone) {
      writeFileSync(path, mutated(text, { start: 0, end: text.length }, mutant))
      const { programs, complaint } = build(judge, file, place)
      if (complaint !== undefined) found.unviable.push(mutant.name)
      else await judged(mutant, programs)
    }
  } finally {
    writeFileSync(path, text)
  }
  return found
}
