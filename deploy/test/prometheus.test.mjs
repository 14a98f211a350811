// Alert rules, dashboards and runbooks: against the list of metrics, against promtool, and against a real Prometheus
// that reads a real node. Run by `make operator`; BIPE_PROGRAMS names the programs that are there.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { folder, freePorts, startNode, stop } from './processes.mjs'
import { listed, mistakes, queries, read, root, rules } from './prometheus.mjs'

const DASHBOARDS = ['deploy/grafana/business.json', 'deploy/grafana/system.json']
const programs = (process.env.BIPE_PROGRAMS ?? '').split(' ')
const without = (name) => (programs.includes(name) ? false : `no ${name}`)
const promtool = (...args) => execFileSync('promtool', args, { cwd: `${root}/deploy/prometheus`, encoding: 'utf8' })
const asked = DASHBOARDS.flatMap(queries)

let home
let node
before(async () => {
  home = folder('prometheus')
  node = await startNode(home.path)
})
after(async () => {
  await node?.stop()
  home?.remove()
})

test('promtool takes the rules, and each is quiet and loud in its test', { skip: without('promtool') }, () => {
  promtool('check', 'rules', 'bipe.rules.yml')
  promtool('check', 'config', '--syntax-only', 'prometheus.yml')
  promtool('test', 'rules', 'bipe.test.yml')
  const tests = read('deploy/prometheus/bipe.test.yml')
  for (const { name } of rules()) {
    assert.match(tests, new RegExp(`alertname: ${name}, exp_alerts: \\[\\]`), `${name} is never quiet in its test`)
    assert.match(tests, new RegExp(`alertname: ${name}\\n +exp_alerts:\\n +- `), `${name} is never loud in its test`)
  }
})

test('the rules and the queries of each dashboard are found', () => {
  assert.ok(rules().length >= 18)
  for (const dashboard of DASHBOARDS) assert.ok(queries(dashboard).length >= 10, dashboard)
})

test('the configuration sends alerts to somebody', () => {
  assert.match(read('deploy/prometheus/prometheus.yml'), /^alerting:\n +alertmanagers:\n.*\n +- targets: \[\S+\]/m)
})

test('each rule has a runbook under its own heading', () => {
  for (const { name, runbook } of rules()) {
    const [page, heading] = runbook.split('#')
    assert.equal(heading, name.toLowerCase(), name)
    assert.ok(existsSync(`${root}/${page}`), page)
    assert.match(read(page), new RegExp(`^## ${name}$`, 'm'), `${page} has no heading ${name}`)
  }
})

test('the commands of the runbooks are commands of bipe', () => {
  const binary = process.env.BIPE_BIN ?? `${root}/target/debug/bipe`
  const pages = [...new Set(rules().map(({ runbook }) => runbook.split('#')[0]))]
  const commands = new Set()
  for (const page of pages) {
    for (const [, words] of read(page).matchAll(/(?:^|[`;] ?|=\S+ )bipe ((?:[a-z]+ ?)+)/gm)) commands.add(words.trim())
  }
  assert.ok(commands.size >= 2, [...commands].join())
  for (const command of commands) {
    const help = execFileSync(binary, [...command.split(' '), '--help'], { cwd: home.path, encoding: 'utf8' })
    assert.match(help, new RegExp(`Usage: bipe ${command}`), command)
  }
})

test('rules and dashboards ask for metrics, labels and words that are listed', () => {
  const list = listed()
  assert.ok(list.size > 40)
  const wrong = asked.flatMap(({ title, expr }) => mistakes(expr, list).map((what) => `${title}: ${what}`))
  // The text between two rules holds their queries; names in prose are listed, too.
  wrong.push(...mistakes(read('deploy/prometheus/bipe.rules.yml'), list).filter((what) => !what.startsWith('by (')))
  assert.deepEqual(wrong, [])
})

test('a wrong name, label or word is found', () => {
  const list = listed()
  const wrong = (expr) => mistakes(expr, list).length
  assert.equal(wrong('sum by (method) (bipe_payments_total{state="succeeded"})'), 0)
  assert.equal(wrong('bipe_payment_approval_seconds_bucket{method=~"PIX|CREDIT_CARD"}'), 0)
  for (const expr of [
    'bipe_payment_total',
    'bipe_jobs_due_bucket',
    'bipe_payments_total{status="succeeded"}',
    'bipe_payments_total{state=~"succeeded|paid"}',
    'sum by (kind) (bipe_payments_total)',
  ]) {
    assert.equal(wrong(expr), 1, expr)
  }
})

test('a run gives what the list promises', async () => {
  await until('the watch over the database has asked', async () => (await metrics()).includes('\nbipe_jobs_due '))
  const text = await metrics()
  const given = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name, type]))
  const helped = new Set([...text.matchAll(/^# HELP (\w+) \S/gm)].map(([, name]) => name))
  for (const [name, { type, always, labels }] of listed()) {
    const needsUse = type === 'histogram' || [...labels.values()].includes(null)
    if (always && !needsUse) assert.ok(given.has(name), `${name} is not given`)
    if (given.has(name)) assert.equal(given.get(name), type, name)
    if (given.has(name)) assert.ok(helped.has(name), `${name} has no help`)
  }
  for (const name of given.keys()) assert.ok(listed().has(name), `${name} is not listed`)
})

test('Prometheus reads a node and answers every query', { skip: without('prometheus') }, async () => {
  const [port] = await freePorts()
  const place = `${home.path}/prometheus`
  const config = `${home.path}/prometheus.yml`
  writeFileSync(
    config,
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [${root}/deploy/prometheus/bipe.rules.yml]
scrape_configs: [{ job_name: bipe, static_configs: [{ targets: ['${node.host}'] }] }]
`,
  )
  const address = `127.0.0.1:${port}`
  const args = [`--config.file=${config}`, `--storage.tsdb.path=${place}`, `--web.listen-address=${address}`]
  const server = spawn('prometheus', [...args, '--log.level=error'], { stdio: ['ignore', 'inherit', 'inherit'] })
  const ask = async (path) => (await fetch(`http://${address}/api/v1/${path}`)).json()
  const query = (expr) => ask(`query?query=${encodeURIComponent(expr)}`)
  try {
    await until('the node is read', async () => (await query('up == 1')).data.result.length === 1)
    const turning = 'rate(bipe_relay_rounds_total[1m]) > 0'
    await until('the relay has turned', async () => (await query(turning)).data.result.length === 1)
    for (const { title, expr } of asked) {
      const answer = await query(expr)
      assert.equal(answer.status, 'success', `${title}: ${expr}: ${answer.error}`)
    }
    const healths = async () => (await ask('rules')).data.groups.flatMap((group) => group.rules)
    await until('every rule is evaluated', async () => {
      const all = await healths()
      return all.length === rules().length && all.every(({ health }) => health === 'ok')
    })
    const ringing = (await healths()).filter(({ state }) => state === 'firing').map(({ name }) => name)
    assert.deepEqual(ringing, [], 'a fresh node rings no alert')
  } finally {
    await stop(server)
  }
})

const metrics = async () => (await fetch(`${node.origin}/metrics`)).text()

async function until(what, holds) {
  for (const end = Date.now() + 30_000; ; await sleep(200)) {
    if (await holds().catch(() => false)) return
    assert.ok(Date.now() < end, `never: ${what}`)
  }
}
