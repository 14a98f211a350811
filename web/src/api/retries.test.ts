import { describe, expect, test } from 'vitest'
import { ApiError } from './errors'
import { isUnanswered, isVerdict, retryDelay, paymentRetryDelay } from './retries'

/** The waits after an outcome that stays the same. */
function waits<T>(schedule: (outcome: T, tries: number) => number | null, outcome: T): number[] {
  const found: number[] = []
  for (let wait = schedule(outcome, 1); wait !== null; wait = schedule(outcome, found.length + 1)) found.push(wait)
  return found
}

describe('an ordinary call', () => {
  test('is repeated twice where no answer came or the server is overloaded', () => {
    expect(waits(retryDelay, {})).toEqual([500, 1500])
    expect(waits(retryDelay, { status: 503 })).toEqual([500, 1500])
  })
  test('waits as long as the server asks for, ten seconds at the most', () => {
    expect(waits(retryDelay, { status: 503, retryAfter: 3 })).toEqual([3_000, 3_000])
    expect(waits(retryDelay, { status: 503, retryAfter: 600 })).toEqual([10_000, 10_000])
  })
  test.each([200, 401, 409, 429, 500, 502])('is not repeated after %i', (status) => {
    expect(waits(retryDelay, { status })).toEqual([])
  })
})

describe('a payment', () => {
  const refusal = (code: string, status?: number) => new ApiError(code, { status })

  test.each([
    refusal('NETWORK_ERROR'),
    refusal('PARSE_ERROR', 201),
    refusal('HTTP_ERROR', 502),
    refusal('INTERNAL_ERROR', 500),
    refusal('REQUEST_IN_PROGRESS', 409),
  ])('that may have been begun is asked about for about a minute: $code', (error) => {
    expect(isUnanswered(error)).toBe(true)
    const all = waits(paymentRetryDelay, error)
    expect(all).toHaveLength(8)
    expect(all.reduce((total, wait) => total + wait, 0)).toBe(57_000)
  })
  test.each(['PROVIDER_UNAVAILABLE', 'SERVICE_UNAVAILABLE'])('gets the ordinary repeats after %s', (code) => {
    expect(isUnanswered(refusal(code, 503))).toBe(false)
    expect(waits(paymentRetryDelay, refusal(code, 503))).toEqual([500, 1500])
  })
  test.each(['AMOUNT_MISMATCH', 'PAYMENT_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED'])(
    'is not repeated after %s',
    (code) => {
      expect(waits(paymentRetryDelay, refusal(code, 409))).toEqual([])
    },
  )
  test.each<[string, number | undefined, boolean]>([
    ['AMOUNT_MISMATCH', 409, true],
    ['VALIDATION_ERROR', 422, true],
    ['FORBIDDEN', 403, true],
    ['REQUEST_IN_PROGRESS', 409, false],
    ['RATE_LIMITED', 429, false],
    ['SERVICE_UNAVAILABLE', 503, false],
    ['HTTP_ERROR', 413, false],
    ['NETWORK_ERROR', undefined, false],
  ])('whose try ended with %s (%s) is judged: %s', (code, status, expected) => {
    expect(isVerdict(refusal(code, status))).toBe(expected)
  })
})
