// What the page knows about its live connection: one small observable per tab. The connection writes it, the badge and
// the polling fallback read it. Nothing here survives a reload.
import { useSyncExternalStore } from 'react'
import { Observable, useObservable } from '../lib/observable'
import { setServerClock } from './server-clock'

export interface LiveStatus {
  /** `off`: signed out or resting in a hidden tab. `stopped`: the server told us not to come back. */
  connection: 'off' | 'connecting' | 'live' | 'stopped'
  /** When `connection` became what it is (Unix ms). */
  since: number
  /** How many sockets were welcomed so far; each may be on another node. */
  welcomes: number
  /** To the second. */
  lastEventAt: number | null
  paused: boolean
  /** Patches that wait for the end of a pause. */
  waiting: number
}

export const liveStatus = new Observable<LiveStatus>({
  connection: 'off',
  since: Date.now(),
  welcomes: 0,
  lastEventAt: null,
  paused: false,
  waiting: 0,
})

/** Called at every flush; subscribers hear of a change only. */
export function setLiveStatus(change: Partial<LiveStatus>): void {
  const before = liveStatus.get()
  const after = { ...before, ...change }
  if (after.connection !== before.connection) after.since = Date.now()
  if (Object.keys(after).some((name) => after[name as keyof LiveStatus] !== before[name as keyof LiveStatus]))
    liveStatus.set(after)
}

/** A pause ends with the session of the person who paused. */
export function forgetPause(): void {
  setLiveStatus({ paused: false, waiting: 0 })
}

export function useLiveStatus(): LiveStatus {
  return useObservable(liveStatus)
}

/** Whether what is shown moves by itself; draws again only when that changes. */
export function useIsLive(): boolean {
  return useSyncExternalStore(liveStatus.subscribe, () => liveStatus.get().connection === 'live')
}

export function useIsPaused(): boolean {
  return useSyncExternalStore(liveStatus.subscribe, () => liveStatus.get().paused)
}

export function useWelcomes(): number {
  return useSyncExternalStore(liveStatus.subscribe, () => liveStatus.get().welcomes)
}

/** Called at every `welcome`. */
export function noteWelcome(serverTime: string): void {
  setServerClock(serverTime)
  setLiveStatus({ welcomes: liveStatus.get().welcomes + 1 })
}
