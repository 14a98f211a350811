// The documented proxies before two real nodes. `BIPE_PROXIES` says which of them are there. Run by `make proxies`.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ADDRESS, clientOf } from './client.mjs'
import { certificate, databaseOf, folder, freePorts, PROXIES, startNode, startProxy } from './processes.mjs'

const PASSWORD = 'Bipe#2026'
const CPFS = { haproxy: '11144477735', nginx: '52998224725', caddy: '39053344705' }

let home
let files
/** Brings the database, and stays. */
let staying

before(async () => {
  home = folder('proxies')
  files = certificate(home.path)
  staying = await startNode(home.path)
})

after(async () => {
  await staying?.stop()
  home?.remove()
})

async function until(what, holds, more = () => '') {
  for (const end = Date.now() + 20_000; ; await sleep(50)) {
    if (await holds().catch(() => false)) return
    assert.ok(Date.now() < end, `never: ${what}${more()}`)
  }
}

/** Until the proxy leads to a node; otherwise its own words say why not. */
function untilReady(program, client, proxy) {
  const isReady = async () => (await client.call('GET', '/health/ready')).status === 200
  return until(`${program} is there`, isReady, () => `: ${proxy.said()}`)
}

/** The live sockets that a node counts. */
async function sockets(node) {
  const text = await (await fetch(`${node.origin}/metrics`)).text()
  return Number(/^bipe_live_sockets (\S+)/m.exec(text)?.[1] ?? 0)
}

/** A person with a company, who registered through the proxy. */
async function enter(client, program, nodes) {
  const userEmail = `${program}@exemplo.com.br`
  const registration = {
    userName: 'Maria Silva',
    userEmail,
    userDocument: CPFS[program],
    userPhone: '11987654321',
    userBirthDate: '1990-05-17',
    password: PASSWORD,
    password_confirmation: PASSWORD,
    consent_legal_terms: true,
    consent_privacy_terms: true,
    consent_lgpd_terms: true,
  }
  assert.equal((await client.call('POST', '/api/auth/register', { body: registration })).status, 201)
  const verificationCode = await codeFor(userEmail, nodes)
  const verified = await client.call('POST', '/api/auth/verify-email', { body: { userEmail, verificationCode } })
  assert.equal(verified.status, 200, verified.text)
  const body = { userEmail, password: PASSWORD }
  const token = (await client.call('POST', '/api/auth/login', { body })).data().tokens.accessToken
  const made = await client.call('POST', '/api/companies', { body: { companyName: 'Ponto' }, token })
  return { token, company: made.data().company.id }
}

/** A mail is in the mailbox of the node whose job sent it. */
async function codeFor(address, nodes) {
  let code
  await until(`a code for ${address}`, async () => {
    for (const { origin } of nodes) {
      const mailbox = await (await fetch(`${origin}/dev/mailbox.json?to=${encodeURIComponent(address)}`)).json()
      code ??= /^\s*(\d{6})\s*$/m.exec(mailbox.messages[0]?.text ?? '')?.[1]
    }
    return code !== undefined
  })
  return code
}

/** A live socket of the person on the company's channel, which has caught up. */
async function live(client, { token, company }) {
  const { ticket } = (await client.call('POST', '/api/auth/live-ticket', { token })).data()
  const socket = await client.live({ ticket, subscriptions: [{ channel: `company/${company}` }] })
  await socket.until('welcome')
  await socket.until('live')
  return socket
}

/** A commit on a node, without the proxy. */
async function rename({ origin }, { token, company }, companyName) {
  const answer = await fetch(`${origin}/api/companies/${company}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ companyName }),
  })
  assert.equal(answer.status, 200)
}

/** Asks for a page and a call again and again. `stop` gives what was not 200. */
function asking(client) {
  let goes = true
  const failures = []
  let count = 0
  const loop = (async () => {
    while (goes) {
      for (const path of ['/', '/api/config', '/health']) {
        const status = await client.call('GET', path).then(
          (answer) => answer.status,
          (error) => error.code ?? `${error}`,
        )
        count += 1
        if (status !== 200) failures.push(`${path}: ${status}`)
      }
      await sleep(10)
    }
  })()
  return async () => {
    goes = false
    await loop
    return { failures, count }
  }
}

/** What a proxy sees of a node whose web app is of one build: its page, the file that the page names, and its health. */
async function nodeOf(build) {
  const known = { '/': `/assets/${build}.js`, [`/assets/${build}.js`]: build, '/health': '', '/health/ready': '' }
  const server = createServer(({ url }, answer) => {
    answer.statusCode = url in known ? 200 : 404
    answer.end(known[url])
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { host: `127.0.0.1:${server.address().port}`, stop }
}

const named = (name) => (frame) => frame.name === 'company.updated' && frame.data?.companyName === name

const wanted = (process.env.BIPE_PROXIES ?? Object.keys(PROXIES).join(' ')).split(' ')

for (const program of wanted) {
  test(`${program} serves two nodes, one of which stops`, { timeout: 60_000 }, async (t) => {
    const data = folder(program)
    const leaving = await startNode(data.path, databaseOf(home.path))
    let proxy
    t.after(async () => {
      await proxy?.stop()
      await leaving.stop()
      data.remove()
    })
    const ports = await freePorts()
    const place = { certificate: files, ports, nodes: [leaving.host, staying.host], dir: data.path }
    proxy = startProxy(program, place)
    const client = clientOf(ports[0], files.ca)
    await untilReady(program, client, proxy)
    if (program === 'haproxy' && process.getuid() === 0) {
      assert.doesNotMatch(readFileSync(`/proc/${proxy.pid}/status`, 'utf8'), /^Uid:\s+0\s/m, 'it stays root')
    }

    // Pages, calls, their limits, and the way from http to https.
    assert.match((await client.call('GET', '/')).text, /<html lang="pt-BR"/)
    const webhook = '/api/payments/webhooks/stripe'
    assert.equal((await client.call('POST', webhook, { raw: 'x'.repeat(250_000) })).status, 400)
    const large = await client.call('POST', webhook, { raw: 'x'.repeat(300_000) })
    assert.equal(large.status, program === 'caddy' ? 502 : 413)
    const plain = await fetch(`http://127.0.0.1:${ports[1]}/plans?a=b`, { redirect: 'manual' })
    assert.equal(plain.status, 308)
    assert.match(plain.headers.get('location'), /^https:\/\/127\.0\.0\.1(:\d+)?\/plans\?a=b$/)

    // The address is the peer's, whatever the client says.
    const nodes = [staying, leaving]
    const person = await enter(client, program, nodes)
    const exported = await client.call('GET', '/api/auth/me/export', { token: person.token })
    assert.ok(exported.text.includes(`"${ADDRESS}"`), exported.text)
    assert.ok(!exported.text.includes('6.6.6.6'))
    assert.equal((await client.call('GET', '/metrics')).status, 404)

    // Live sockets go to both nodes; what one node commits reaches them.
    const open = [await live(client, person), await live(client, person)]
    assert.deepEqual(await Promise.all(nodes.map(sockets)), [1, 1])
    await rename(staying, person, 'Primeiro')
    await Promise.all(open.map((socket) => socket.until('event', named('Primeiro'))))

    // A node stops: its socket is served until it has moved, no call fails, new sockets go to the other node.
    const ask = asking(client)
    const ended = leaving.stop()
    await until('it is not ready', async () => (await fetch(`${leaving.origin}/health/ready`)).status === 503)
    await rename(staying, person, 'Segundo')
    await Promise.all(open.map((socket) => socket.until('event', named('Segundo'))))
    const drained = await Promise.race(open.map((socket) => socket.until('drain').then(() => socket)))
    const next = [await live(client, person), await live(client, person)]
    assert.equal(await sockets(staying), 3)
    await rename(staying, person, 'Terceiro')
    await Promise.all([drained, ...next].map((socket) => socket.until('event', named('Terceiro'))))
    drained.close()
    assert.equal(await ended, 0)
    await sleep(500)
    const { failures, count } = await ask()
    assert.deepEqual(failures, [])
    assert.ok(count > 0)
    for (const socket of [...open, ...next]) socket.close()
    await until('its sockets are gone', async () => (await sockets(staying)) === 0)
  })

  test(`${program} finds the files of two builds that serve side by side`, { timeout: 60_000 }, async (t) => {
    const data = folder(program)
    const builds = [await nodeOf('old'), await nodeOf('new')]
    const ports = await freePorts()
    const nodes = builds.map(({ host }) => host)
    let proxy
    t.after(async () => {
      await proxy?.stop()
      for (const build of builds) build.stop()
      data.remove()
    })
    proxy = startProxy(program, { certificate: files, ports, nodes, dir: data.path })
    const client = clientOf(ports[0], files.ca)
    await untilReady(program, client, proxy)
    // Several at a time, as browsers ask.
    const pages = await Promise.all(Array.from({ length: 40 }, () => client.call('GET', '/')))
    const names = pages.map(({ text }) => text)
    assert.deepEqual(new Set(names), new Set(['/assets/old.js', '/assets/new.js']))
    const found = await Promise.all(names.map((name) => client.call('GET', name)))
    assert.deepEqual(
      found.map(({ text }) => `/assets/${text}.js`),
      names,
    )
    const gone = await client.call('GET', '/assets/gone.js')
    assert.equal(gone.status, 404)
  })
}
