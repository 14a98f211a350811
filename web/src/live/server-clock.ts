// The server's clock as this page knows it. A phone's own clock may be minutes off, so deadlines, days and countdowns
// go by this one. `status.ts` sets it at every `welcome` of the live connection; until then it is the machine's.
import { useEffect, useState } from 'react'

/** Server time minus ours, from the last `welcome`. */
let offsetMs = 0

export function setServerClock(serverTime: string): void {
  const at = Date.parse(serverTime)
  if (!Number.isNaN(at)) offsetMs = at - Date.now()
}

/** Now by the server's clock (Unix ms). */
export function serverNow(): number {
  return byServerClock(Date.now())
}

/** A moment of this machine's clock (Unix ms), by the server's. */
export function byServerClock(at: number): number {
  return at + offsetMs
}

/** `serverNow` on the screen, moved every so often. */
export function useServerNow(everyMs: number): number {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
