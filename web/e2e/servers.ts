// One server for each worker, with its own data directory: what a journey does to time, plans or figures is seen by the
// journeys after it in the same worker and by nobody else. A journey that ends a server starts its own.
import { spawn, type ChildProcess } from 'node:child_process'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'

export const WORKERS = 2

const port = Number(process.env.BIPE_E2E_PORT ?? 18_080)

/** The server's program. */
export const binary = resolve(process.env.BIPE_E2E_BINARY ?? '../target/debug/bipe')

/** The address of a worker's server. */
export function originOf(worker: number): string {
  return `http://127.0.0.1:${port + 2 * worker}`
}

/** Of the server that is killed and comes back. */
export const crashOrigin = `http://127.0.0.1:${port + 1}`

/** What an environment may name for another server. Without content each counts as not set. */
const OF_OTHERS = [
  'BIPE_DATABASE_CA',
  'CREDENTIALS_DIRECTORY',
  'DATABASE_MIGRATION_URL',
  'DATABASE_READ_URL',
  'DATABASE_URL',
  'NATS_CA',
  'NATS_CREDENTIALS',
  'NATS_URL',
  'SMTP_URL',
  'STRIPE_API_BASE',
  'STRIPE_PUBLISHABLE_KEY',
  'STRIPE_SECRET_KEY',
]

/** The settings of a server that listens there and keeps its data there. */
export function settings(origin: string, dataDir: string): Record<string, string> {
  // Nothing is asked of the world outside: journeys answer for the postal codes themselves.
  const alone = { ...Object.fromEntries(OF_OTHERS.map((name) => [name, ''])), BIPE_CEP_URL: '' }
  return { BIPE_BIND: new URL(origin).host, BIPE_DATA_DIR: dataDir, BIPE_RATE_LIMITS: 'relaxed', ...alone }
}

/** A server of the journey's own; resolves when it says where it listens. */
export async function startServer(more: Record<string, string>): Promise<{ server: ChildProcess; origin: string }> {
  const server = spawn(binary, ['serve'], {
    cwd: more.BIPE_DATA_DIR,
    env: { ...process.env, RUST_LOG: 'error', ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: server.stdout })) {
    const origin = /^listening on (http:\/\/\S+)/.exec(line)?.[1]
    if (origin === undefined) continue
    server.stdout.resume()
    return { server, origin }
  }
  throw new Error('the server did not start')
}

/** Resolves when the server has ended. */
export async function stopServer(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const gone = new Promise((resolve) => server.once('exit', resolve))
  server.kill(signal)
  await gone
}
