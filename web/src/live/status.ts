// What the page knows about its live connection: one small observable per tab. The connection writes it, the badge,
// the polling fallback and countdowns read it. Nothing here survives a reload.
import { useSyncExternalStore } from 'react'

export interface LiveStatus {
  /** `off`: signed out or resting in a hidden tab. `stopped`: the server told us not to come back. */
  connection: 'off' | 'connecting' | 'live' | 'stopped'
  /** When `connection` became what it is (Unix ms). */
  since: number
  online: boolean
  /** Channels that are catching up: shown as "Atualizando...". */
  catchingUp: readonly string[]
  lastEventAt: number | null
  paused: boolean
  /** Patches that wait for the end of a pause. */
  waiting: number
}

/** A value with subscribers, shaped for `useSyncExternalStore`. */
export class Observable<T> {
  private readonly listeners = new Set<() => void>()
  constructor(private value: T) {}

  readonly get = (): T => this.value

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  set(next: T): void {
    if (Object.is(next, this.value)) return
    this.value = next
    for (const listener of this.listeners) listener()
  }
}

export const liveStatus = new Observable<LiveStatus>({
  connection: 'off',
  since: Date.now(),
  online: navigator.onLine,
  catchingUp: [],
  lastEventAt: null,
  paused: false,
  waiting: 0,
})

export function setLiveStatus(change: Partial<LiveStatus>): void {
  const before = liveStatus.get()
  const changed = change.connection !== undefined && change.connection !== before.connection
  liveStatus.set({ ...before, ...change, since: changed ? Date.now() : before.since })
}

export function useLiveStatus(): LiveStatus {
  return useSyncExternalStore(liveStatus.subscribe, liveStatus.get)
}

/** Server time minus ours, from the last `welcome`. */
let clockOffsetMs = 0

export function setServerTime(serverTime: string): void {
  const at = Date.parse(serverTime)
  if (!Number.isNaN(at)) clockOffsetMs = at - Date.now()
}

/** Now by the server's clock (Unix ms); countdowns use it, because a phone's clock may be minutes off. */
export function serverNow(): number {
  return Date.now() + clockOffsetMs
}
