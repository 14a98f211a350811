// One Idempotency-Key per intention: kept while the answer is unknown, so that asking again can charge only once; new
// after a definite answer, or as soon as the request itself changes. Pure.

export interface Attempt {
  key: string
  /** The request that the key stands for, as JSON. */
  body: string
}

/** The attempt for this request: the one under way when it is the same request, else a new one. */
export function attemptFor(held: Attempt | null, request: object, newKey: () => string): Attempt {
  const body = JSON.stringify(request)
  return held?.body === body ? held : { key: newKey(), body }
}

const WAITS_MS = [2_000, 3_000, 5_000, 8_000, 13_000, 13_000, 13_000]

/** How long to wait before asking again with the same key; null when it is time to give the word back to the person. */
export function askAgainMs(times: number): number | null {
  return WAITS_MS[times] ?? null
}
