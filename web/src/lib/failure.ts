// What a screen needs to know about something that failed. `ui` shows it, `api/errors.ts` makes it.

export interface Failure {
  /** The contract's or the client's code. */
  code: string
  /** One Portuguese sentence, complete and final. */
  sentence: string
  status?: number | undefined
  requestId?: string | undefined
  /** Seconds until the call may be repeated (`Retry-After`). */
  retryAfter?: number | undefined
}

export function isFailure(value: unknown): value is Failure {
  return value instanceof Error && 'code' in value && 'sentence' in value
}
