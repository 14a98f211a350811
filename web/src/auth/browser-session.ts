// The parts of the session that are the browser's: its storages, its locks and the calls to the server.
import { logout, refreshTokens } from '../api/auth'
import { Session } from './session'
import { memoryStorage, type KeyedStorage } from './stored'

const LOCK_LIMIT_MS = 5_000
const STORAGE_LAG_MS = 200

/**
 * `navigator.locks` is an optimisation: absent (insecure context) or stuck for 5 s, the work runs without it. The lock
 * is held until the other tabs have heard of what was written: storage reaches them a moment later than the lock would.
 */
function exclusively<T>(work: () => Promise<T>): Promise<T> {
  const locks: LockManager | null | undefined = navigator.locks
  if (!locks) return work()
  return new Promise((resolve, reject) => {
    let started = false
    const run = async (): Promise<void> => {
      started = true
      await work().then(resolve, reject)
      await new Promise((heard) => setTimeout(heard, STORAGE_LAG_MS))
    }
    locks.request('bipe.refresh', { signal: AbortSignal.timeout(LOCK_LIMIT_MS) }, run).catch(() => {
      if (!started) resolve(work())
    })
  })
}

/** The session of this tab. `use-session.ts` makes it once, tests make their own from parts. */
export function browserSession(): Session {
  return new Session({
    shared: storageOr('localStorage'),
    tab: storageOr('sessionStorage'),
    refresh: refreshTokens,
    logout,
    now: Date.now,
    exclusively,
  })
}

/** Blocked storage throws on access: the session then lives as long as the page. */
function storageOr(kind: 'localStorage' | 'sessionStorage'): KeyedStorage {
  try {
    return window[kind]
  } catch {
    return memoryStorage()
  }
}
