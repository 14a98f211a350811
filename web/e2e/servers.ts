// One server for each worker, with its own data directory: what a journey does to time, plans or figures is seen by the
// journeys after it in the same worker and by nobody else. The crash journey starts one more, on a port of its own.
import { resolve } from 'node:path'

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

/** The settings of a server that listens there and keeps its data there. */
export function settings(origin: string, dataDir: string): Record<string, string> {
  return { BIPE_BIND: new URL(origin).host, BIPE_DATA_DIR: dataDir, BIPE_RATE_LIMITS: 'relaxed' }
}
