// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { expiryText, isAhead } from './subscription-state'

test('the end is announced in the last seven days and said on the last', () => {
  expect([8, 7, 2, 1, 0, -1, null, undefined].map((daysUntilExpiry) => expiryText({ daysUntilExpiry }))).toEqual([
    null,
    'Sua assinatura expira em 7 dias',
    'Sua assinatura expira em 2 dias',
    'Sua assinatura expira em 1 dia',
    'Sua assinatura expirou',
    null,
    null,
    null,
  ])
})

test('an instant is ahead only when it is given and not over', () => {
  expect(isAhead(new Date(Date.now() + 60_000).toISOString())).toBe(true)
  expect(isAhead(new Date(Date.now() - 60_000).toISOString())).toBe(false)
  expect(isAhead(null)).toBe(false)
})
