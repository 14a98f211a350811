// Milliseconds left until an instant, by the server's clock, once a second; announced at 5 min, 1 min and the end.
import { useEffect, useState } from 'react'
import { serverNow } from '../../live/status'
import { announce } from '../../ui/announcer'

const ANNOUNCED: readonly [atMs: number, text: string][] = [
  [5 * 60_000, 'O código Pix expira em 5 minutos'],
  [60_000, 'O código Pix expira em 1 minuto'],
  [0, 'Código Pix expirado'],
]

/** Null without an instant. */
export function useCountdown(until: string | null | undefined): number | null {
  const end = until ? Date.parse(until) : Number.NaN
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    if (Number.isNaN(end)) return
    let last = end - serverNow()
    const timer = setInterval(() => {
      const left = end - serverNow()
      for (const [at, text] of ANNOUNCED) if (last > at && left <= at) announce(text)
      last = left
      setNow(serverNow())
      if (left <= 0) clearInterval(timer)
    }, 1_000)
    return () => clearInterval(timer)
  }, [end])
  return Number.isNaN(end) ? null : Math.max(0, end - now)
}
