// `bipe sandbox` as a process of its own on a free port, and an endpoint that collects its webhooks.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const target = process.env.CARGO_TARGET_DIR ?? 'target'
const binary = process.env.BIPE_BIN ?? resolve(root, target, 'debug/bipe')

export const SECRET_KEY = 'sk_test_sandbox'
export const PUBLISHABLE_KEY = 'pk_test_sandbox'
export const WEBHOOK_SECRET = 'whsec_driven_by_stripe'

/** Starts the provider; `stop` ends it and forgets its data. */
export async function startSandbox() {
  const endpoint = await startEndpoint()
  const data = await mkdtemp(join(tmpdir(), 'bipe-stripe-'))
  const child = spawn(binary, ['sandbox'], {
    cwd: data,
    env: {
      PATH: process.env.PATH,
      BIPE_DATA_DIR: data,
      BIPE_SANDBOX_BIND: '127.0.0.1:0',
      BIPE_SANDBOX_WEBHOOK_URL: endpoint.url,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const origin = await firstAddress(child)
  return {
    origin,
    address: new URL(origin),
    next: endpoint.next,
    /** A control call of the sandbox, in JSON. */
    async control(path, body) {
      const response = await fetch(`${origin}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: await response.json() }
    },
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      await endpoint.close()
      await rm(data, { recursive: true, force: true })
    },
  }
}

/** The address of the line `listening on http://…`; fails when the process ends before it. */
function firstAddress(child) {
  return new Promise((found, failed) => {
    child.once('error', failed)
    child.once('exit', (code) => failed(new Error(`${binary} ended with ${code} before it listened`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = line.match(/^listening on (http:\/\/\S+)$/)?.[1]
      if (address !== undefined) found(address)
    })
  })
}

/** Keeps what arrives; `next(type)` waits for an event of that type that nobody has taken yet. */
export async function startEndpoint() {
  const mail = []
  const waiting = []
  const match = () => {
    for (let at = waiting.length - 1; at >= 0; at -= 1) {
      const index = mail.findIndex((letter) => waiting[at].wants(letter.event))
      if (index === -1) continue
      const [wish] = waiting.splice(at, 1)
      wish.take(mail.splice(index, 1)[0])
    }
  }
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      mail.push({ body, signature: request.headers['stripe-signature'], event: JSON.parse(body.toString()) })
      response.end()
      match()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}/webhooks`,
    next: (type, object) =>
      new Promise((take) => {
        waiting.push({ take, wants: (event) => event.type === type && event.data.object.id === object })
        match()
      }),
    close: () =>
      new Promise((closed) => {
        server.close(closed)
        server.closeAllConnections()
      }),
  }
}
