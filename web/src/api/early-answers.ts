// The answers to what the page asked for before the app's code was there (`auth/ask-early.ts`): a slow phone saves a way
// to the server and back. `client.ts` takes each instead of asking. An answer is used once, soon, and only for the token
// that it was asked with; without it the app asks by itself.

export interface EarlyAnswers {
  token: string
  /** As `performance.now()` gives it. */
  askedAt: number
  byPath: Record<string, Promise<Response>>
}

declare global {
  var bipeEarlyAnswers: EarlyAnswers | undefined
}

/** As long as a query holds its answer for fresh. */
const FRESH_MS = 30_000

/** The answer to a read that was asked for early; the next time there is none. */
export function takeEarly({ method, url, headers }: Request): Promise<Response> | undefined {
  const early = globalThis.bipeEarlyAnswers
  if (early === undefined || method !== 'GET') return undefined
  if (performance.now() - early.askedAt > FRESH_MS || headers.get('authorization') !== `Bearer ${early.token}`) {
    globalThis.bipeEarlyAnswers = undefined
    return undefined
  }
  const { pathname, search } = new URL(url)
  const answer = early.byPath[pathname + search]
  delete early.byPath[pathname + search]
  return answer
}
