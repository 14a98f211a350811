// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import type { PaymentMethod } from '../../api/payment-methods'
import type { OfferedMethod, Provider } from '../../api/payments'
import { firstMethod, methodOptions } from './method-choice'

const offered = (type: string): OfferedMethod =>
  ({ type: type as PaymentMethod, available: true, minAmount: 1, requiredFields: [] }) as unknown as OfferedMethod

test('a method that this build does not know is not offered', () => {
  const methods = ['PIX_AUTOMATICO', 'PIX'].map(offered)
  expect(methodOptions(methods, 100).map(({ value }) => value)).toEqual(['PIX'])
  expect(firstMethod({ methods } as Provider, undefined, 100)).toBe('PIX')
})
