// The answers to what the page fetched before the app's code was there (`auth/fetch-early.ts`): a slow phone saves a
// way to the server and back. `client.ts` takes each instead of fetching. An answer is used once, soon, and only for the
// token that it was fetched with; without it the app fetches by itself.

interface EarlyAnswers {
  token: string
  /** As `performance.now()` gives it. */
  sentAt: number
  byPath: Record<string, Promise<Response>>
}

declare global {
  var bipeEarlyAnswers: EarlyAnswers | undefined
}

/** As long as a query holds its answer for fresh. */
const FRESH_MS = 30_000

/** The answer to a read that was asked for early; the next time there is none. */
export function takeEarlyAnswer({ method, url, headers }: Request): Promise<Response> | undefined {
  const early = globalThis.bipeEarlyAnswers
  if (early === undefined || method !== 'GET') return undefined
  if (performance.now() - early.sentAt > FRESH_MS || headers.get('authorization') !== `Bearer ${early.token}`) {
    globalThis.bipeEarlyAnswers = undefined
    return undefined
  }
  const { pathname, search } = new URL(url)
  const answer = early.byPath[pathname + search]
  delete early.byPath[pathname + search]
  return answer
}
