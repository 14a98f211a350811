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

test.each([
  [499, 'A partir de R$\u00a05,00'],
  [500, undefined],
  [4_999_999, undefined],
  [5_000_000, 'Até R$\u00a049.999,99'],
])('a boleto of %i centavos says which bound it is beyond', (amount, reason) => {
  const boleto = { ...offered('BANK_SLIP'), minAmount: 500, maxAmount: 4_999_999 }
  expect(methodOptions([boleto], amount)[0]?.disabledReason).toBe(reason)
  expect(firstMethod({ methods: [boleto, offered('PIX')] } as Provider, 'BANK_SLIP', amount)).toBe(
    reason ? 'PIX' : 'BANK_SLIP',
  )
})

test('a node of an older version names no upper bound', () => {
  expect(methodOptions([offered('BANK_SLIP')], 5_000_000)[0]?.disabledReason).toBeUndefined()
})
