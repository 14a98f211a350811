// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { expiryText, isAhead } from './subscription-state'
import { warningText } from './labels'

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

test('every warning of a quote has a sentence, and a new one shows its code', () => {
  const codes = 'AMOUNT_CARRIED BILLING_DAY_CHANGES BOLETO_UNAVAILABLE CANCELLATION_UNDONE CREDIT_KEPT CREDIT_USED PENDING_CHANGE_DROPPED PREPAID_PERIOD_CREDITED RENEWAL_DUE USER_LIMIT_EXCEEDED'
  for (const code of codes.split(' ')) expect(warningText(code)).not.toBe(code)
  expect(warningText('NEW_ONE')).toBe('NEW_ONE')
})
