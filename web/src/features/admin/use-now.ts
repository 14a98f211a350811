// The server's time for relative words, moved twice a minute.
import { useEffect, useState } from 'react'
import { serverNow } from '../../live/status'

const EVERY_MS = 30_000

export function useNow(): number {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
