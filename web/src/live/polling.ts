// Reads whatever is on the screen again while the page is not live: also before the connection's code is loaded, and
// when it cannot be.
import { useEffect } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { useIsLive, useIsPaused } from './status'

/** Not live this long: poll. */
export const POLL_AFTER_MS = 5_000
const POLL_EVERY_MS = 15_000

/**
 * After 5 s without the connection the active queries are fetched every 15 s, until it is live. A pause stops this too.
 * The second read comes at a random moment of the first 15 s: the tabs that lost one server together would go on asking
 * in step.
 */
export function usePolling(): void {
  const queries = useQueryClient()
  const live = useIsLive()
  const paused = useIsPaused()
  useEffect(() => {
    if (live || paused) return
    let timer: ReturnType<typeof setTimeout>
    const readAfter = (wait: number, next: number) => {
      timer = setTimeout(() => {
        if (document.visibilityState === 'visible' && navigator.onLine) void queries.refetchQueries({ type: 'active' })
        readAfter(next, POLL_EVERY_MS)
      }, wait)
    }
    readAfter(POLL_AFTER_MS, Math.random() * POLL_EVERY_MS)
    return () => clearTimeout(timer)
  }, [live, paused, queries])
}
