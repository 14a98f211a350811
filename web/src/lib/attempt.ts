// One Idempotency-Key for one payment that a person wants. The key is kept while the server's answer is unknown, so
// that a repeat charges once. A definite answer or another request means a new key. Pure.

export interface Attempt {
  key: string
  /** The request that the key stands for, as JSON. */
  body: string
}

/** The previous attempt when its request is the same, else one with a new key. */
export function attemptFor(previous: Attempt | null, request: object, newKey: () => string): Attempt {
  const body = JSON.stringify(request)
  return previous?.body === body ? previous : { key: newKey(), body }
}
