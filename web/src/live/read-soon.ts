// Reads what is on the screen again after an event that only a newer build knows, some time later and once for all that
// come until then: many tabs get it at the same moment.
import type { QueryClient } from '@tanstack/react-query'
import { liveStatus } from './status'

/** As often as a page is read that is not live. */
const WITHIN_MS = 15_000

let timer: ReturnType<typeof setTimeout> | undefined

/** Updates that the person paused wait. */
export function readSoon(queries: QueryClient): void {
  timer ??= setTimeout(() => {
    timer = undefined
    if (liveStatus.get().paused) readSoon(queries)
    else void queries.invalidateQueries()
  }, Math.random() * WITHIN_MS)
}
