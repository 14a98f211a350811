// Runs fuzz targets one after another with libFuzzer, and says what each did.
// usage: node .ci/fuzz.mjs BUILD FOLDER SECONDS [NAME...]; BUILD is what `cargo build --message-format=json` printed.
// What is found new stays in FOLDER; the corpora beside the tests are read and never written.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

const [build, folder, seconds, ...only] = process.argv.slice(2)
if (!/^[1-9][0-9]{0,5}$/.test(seconds)) {
  console.error('SECONDS is a whole number from 1 to 999999')
  process.exit(2)
}

const messages = readFileSync(build, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('{'))
  .map(JSON.parse)
const tests = messages.filter((message) => message.executable && message.profile?.test)
const programs = tests.map((message) => message.executable)
const targets = programs.flatMap((program) => {
  // In place of a run each target says where its corpus is.
  const env = { ...process.env, CARGO_BOLERO_SELECT: 'all' }
  const said = spawnSync(program, ['--nocapture', '--test-threads=1'], { env, encoding: 'utf8' }).stdout
  const lines = said.split('\n').filter((line) => line.startsWith('{"__bolero_target"'))
  const target = ({ work_dir, test_name }) => {
    return { program, corpus: join(work_dir, 'corpus'), test: test_name, name: basename(work_dir) }
  }
  return lines.map(JSON.parse).map(target)
})
const unknown = only.filter((name) => !targets.some((target) => target.name === name))
if (targets.length === 0 || unknown.length > 0) {
  console.error(`no target ${unknown.join(', ')}; there are ${targets.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}

let failed = 0
const chosen = targets.filter(({ name }) => only.length === 0 || only.includes(name))
for (const { program, corpus, test, name } of chosen) {
  const found = resolve(folder, 'corpus', name)
  const prefix = resolve(folder, `${name}-`)
  mkdirSync(found, { recursive: true })
  const corpora = [found, corpus].filter(existsSync)
  const bounds = [`-max_total_time=${seconds}`, '-max_len=256', '-timeout=10']
  const args = [...corpora, ...bounds, `-artifact_prefix=${prefix}`, '-print_final_stats=1']
  const env = { ...process.env, RUST_BACKTRACE: '0', BOLERO_LIBFUZZER_ARGS: args.join(' ') }
  const words = [test, '--exact', '--nocapture', '--test-threads=1']
  const run = spawnSync(program, words, { env, encoding: 'utf8', maxBuffer: 1 << 28 })
  const log = run.stdout + run.stderr
  writeFileSync(`${prefix}log`, log)
  const last = (pattern) => [...log.matchAll(pattern)].at(-1)?.[1] ?? '0'
  const figures = `${last(/stat::number_of_executed_units:\s*(\d+)/g)} inputs, ${last(/cov: (\d+)/g)} edges`
  console.log(`${name.padEnd(12)} ${run.status === 0 ? 'held  ' : 'FAILED'} ${figures}`)
  if (run.status !== 0) {
    failed += 1
    console.log(log.split('\n').slice(-40).join('\n'))
    console.log(`the input is ${prefix}crash-…: make it small and put it under a name into ${corpus}`)
  }
}
process.exit(failed > 0 ? 1 : 0)
