import { describe, expect, test } from 'vitest'
import { backoffMs, DEFAULT_RETRY, delayOf, reconnectPolicyOf } from './reconnect'

describe('the policy of a close code', () => {
  test.each([
    [4000, 'stop'],
    [4003, 'stop'],
    [4006, 'stop'],
    [4107, 'backoff'],
    [4108, 'backoff'],
    [4109, 'backoff'],
    [4201, 'spread'],
    [4301, 'ticket'],
    [1000, 'backoff'],
    [1006, 'backoff'],
  ])('%i is %s', (code, action) => {
    expect(reconnectPolicyOf(code)).toMatchObject({ action, recheckAccess: false })
  })
  test('revoked access stops and reads the companies again', () => {
    expect(reconnectPolicyOf(4004)).toEqual({ action: 'stop', dropResume: false, recheckAccess: true })
  })
  test('a refused resume is dropped', () => {
    expect(reconnectPolicyOf(4302)).toEqual({ action: 'ticket', dropResume: true, recheckAccess: false })
  })
})

describe('the wait before a new connection', () => {
  const retry = { baseMs: 500, capMs: 30_000, spreadMs: 5_000 }

  test('doubles, is capped and fully jittered', () => {
    expect([0, 1, 2, 3].map((attempt) => backoffMs(attempt, retry, 0.999_999))).toEqual([500, 1000, 2000, 4000])
    expect(backoffMs(40, retry, 0.5)).toBe(15_000)
    expect(backoffMs(5, retry, 0)).toBe(0)
  })
  test('follows the policy', () => {
    expect(delayOf(reconnectPolicyOf(4000), 0, retry, 0.5)).toBeNull()
    expect(delayOf(reconnectPolicyOf(4201), 9, retry, 0.5)).toBe(2_500)
    expect(delayOf(reconnectPolicyOf(4301), 0, retry, 0.5)).toBe(250)
    expect(delayOf(reconnectPolicyOf(1006), 1, DEFAULT_RETRY, 0.5)).toBe(500)
  })
})
