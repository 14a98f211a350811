// What a close code means, and how long to wait before the next connection. Pure.
import type { Welcome } from './frames'

export type Retry = Welcome['retry']

/** Used until a `welcome` brought the server's own. */
export const DEFAULT_RETRY: Retry = { baseMs: 500, capMs: 30_000, spreadMs: 5_000 }

export interface ReconnectPolicy {
  /** `stop`: no new connection by itself, polling goes on. `spread`: after a random share of the spread. */
  action: 'stop' | 'backoff' | 'spread' | 'ticket'
  /** The resume token was refused: say hello with a ticket. */
  dropResume: boolean
  /** Access was taken away: read user and companies before anything else. */
  recheckAccess: boolean
}

export function reconnectPolicyOf(code: number): ReconnectPolicy {
  const family = Math.floor(code / 100)
  const action = family === 40 ? 'stop' : family === 42 ? 'spread' : family === 43 ? 'ticket' : 'backoff'
  return { action, dropResume: action === 'ticket', recheckAccess: code === 4004 }
}

/** Full jitter: anything from nothing to the doubled base, capped. `chance` is in [0, 1). */
export function backoffMs(attempt: number, retry: Retry, chance: number): number {
  return Math.round(chance * Math.min(retry.capMs, retry.baseMs * 2 ** Math.min(attempt, 16)))
}

export function delayOf(policy: ReconnectPolicy, attempt: number, retry: Retry, chance: number): number | null {
  switch (policy.action) {
    case 'stop':
      return null
    case 'spread':
      return Math.round(chance * retry.spreadMs)
    case 'ticket':
    case 'backoff':
      return backoffMs(attempt, retry, chance)
    default:
      return policy.action satisfies never
  }
}
