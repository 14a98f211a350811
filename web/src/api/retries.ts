// When a call is sent again: the only schedules of the web app. `client.ts` follows the ordinary one for every call
// that may be repeated, `processPayment` follows its own instead. Invariant: a call has one schedule, so schedules
// never multiply. Pure apart from `withRetries`, which waits.
import { ApiError } from './errors'

const WAITS_MS = [500, 1500]
/** About a minute, nine requests at the most. */
const PAYMENT_WAITS_MS = [...WAITS_MS, 3_000, 5_000, 8_000, 13_000, 13_000, 13_000]
const MAX_RETRY_AFTER_MS = 10_000

/** How a try ended. Without a status no answer came. */
export interface AttemptResult {
  status?: number | undefined
  /** Seconds, as the server asked for. */
  retryAfter?: number | undefined
}

/** Milliseconds until the next try, `tries` having been made; null when the outcome stands. */
type Schedule<T> = (outcome: T | ApiError, tries: number) => number | null

/** Two repeats where the server was not reached or is overloaded. */
export function retryDelay({ status, retryAfter }: AttemptResult, tries: number): number | null {
  const wait = WAITS_MS[tries - 1]
  if (wait === undefined || (status !== undefined && status !== 503)) return null
  return retryAfter === undefined ? wait : Math.min(retryAfter * 1000, MAX_RETRY_AFTER_MS)
}

/** With these codes the server has most likely done nothing, and says when to come back. */
const OUTAGES = new Set(['PROVIDER_UNAVAILABLE', 'SERVICE_UNAVAILABLE'])

/**
 * Whether the server has judged a command with a key: the next try is another command. Else it may have begun, by this
 * try or by one before, and its key stays. The server keeps nothing of a refusal for too many calls.
 */
export function isVerdict({ isUncertain, code }: ApiError): boolean {
  return !isUncertain && code !== 'REQUEST_IN_PROGRESS' && code !== 'RATE_LIMITED'
}

/** Whether a payment is asked about until it is answered. */
export function isUnanswered(error: ApiError): boolean {
  if (OUTAGES.has(error.code)) return false
  return error.isUncertain || error.code === 'REQUEST_IN_PROGRESS'
}

/** An unanswered payment is asked about with the same key until it is answered; an outage gets the ordinary repeats. */
export function paymentRetryDelay(error: ApiError, tries: number): number | null {
  if (isUnanswered(error)) return PAYMENT_WAITS_MS[tries - 1] ?? null
  return OUTAGES.has(error.code) ? retryDelay(error, tries) : null
}

/** Sends a call until its outcome stands. An abort ends the wait. */
export async function withRetries<T>(send: () => Promise<T>, waitAfter: Schedule<T>, signal?: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await send().catch((error: unknown) => {
      if (error instanceof ApiError) return error
      throw error
    })
    const wait = waitAfter(outcome, tries)
    if (wait !== null) await pause(wait, signal)
    else if (outcome instanceof ApiError) throw outcome
    else return outcome
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
