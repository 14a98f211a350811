// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import type { Payment } from '../../api/payments'
import { toCsv } from './payments-csv'

const plans = [{ id: 'plan1', displayName: 'Essencial' }]
const payment = (rest: Partial<Payment>) =>
  ({
    id: 'p1',
    createdAt: '2026-11-21T12:00:00Z',
    paymentMethod: 'PIX',
    amount: 123456,
    currency: 'brl',
    status: 'SUCCESS',
    metadata: { planId: 'plan1', billingCycle: 'yearly' },
    ...rest,
  }) as Payment

test('a payment is one line with a decimal comma', () => {
  expect(toCsv([payment({ transactionId: 'pi_1' })], plans).split('\r\n')[1]).toBe(
    'p1;21/11/2026 09:00;Essencial · Anual;PIX;1234,56;BRL;Aprovado;0,00;Não;pi_1;Não',
  )
})

test('money that went back or became credit is no plain income', () => {
  const cells = (rest: Partial<Payment>) =>
    toCsv([payment(rest)], plans)
      .split('\r\n')[1]
      ?.split(';')
      .slice(6, 9)
  expect(cells({ refunded: 5000 })).toEqual(['Aprovado', '50,00', 'Não'])
  expect(cells({ credited: true })).toEqual(['Aprovado', '0,00', 'Sim'])
})

test('a payment of which another amount was accepted is worth what came in, as its document says', () => {
  const cells = (rest: Partial<Payment>) => toCsv([payment({ received: 100_000, ...rest })], plans).split(';')
  expect(cells({})).toContain('1000,00')
  expect(cells({ status: 'FAILED' })).toContain('1234,56')
})

test('money that the bank disputes is told apart, in the last column', () => {
  const [head, row] = toCsv([payment({ disputed: true })], plans).split('\r\n')
  expect([head?.split(';').at(-1), row?.split(';').at(-1)]).toEqual(['Contestado', 'Sim'])
})

test('a currency without decimals has none, and a plan off sale is a subscription', () => {
  expect(toCsv([payment({ currency: 'jpy' })], []).split('\r\n')[1]).toContain(';Assinatura · Anual;PIX;123456;JPY;')
})

test('a cell cannot become a formula or break its row', () => {
  expect(toCsv([payment({ transactionId: '=1+1' })], plans)).toContain(";'=1+1")
  expect(toCsv([payment({ transactionId: 'a;"b"' })], plans)).toContain('"a;""b"""')
})

test('a state and a method that this build does not know are their codes', () => {
  const unknown = payment({ status: 'ON_HOLD' as Payment['status'], paymentMethod: 'TED' as Payment['paymentMethod'] })
  expect(toCsv([unknown], plans)).toContain(';TED;1234,56;BRL;ON_HOLD;')
})

test('no payments are only the heads', () => expect(toCsv([], plans).split('\r\n')).toHaveLength(1))
