import { expect, test } from 'vitest'
import { warningText } from './labels'

test('every warning of a quote has a sentence, and a new one shows its code', () => {
  const codes =
    'AMOUNT_CARRIED BILLING_DAY_CHANGES BOLETO_UNAVAILABLE CANCELLATION_UNDONE CREDIT_KEPT CREDIT_USED PENDING_CHANGE_DROPPED PREPAID_PERIOD_CREDITED RENEWAL_DUE USER_LIMIT_EXCEEDED'
  for (const code of codes.split(' ')) expect(warningText(code)).not.toBe(code)
  expect(warningText('NEW_ONE')).toBe('NEW_ONE')
})
