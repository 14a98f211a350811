// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import type { Payment } from '../../api/payments'
import { toCsv } from './payments-csv'

const payment = (rest: Partial<Payment>) =>
  ({ id: 'p1', createdAt: '2026-11-21T12:00:00Z', paymentMethod: 'PIX', amount: 123456, currency: 'brl', status: 'SUCCESS', ...rest }) as Payment

test('a payment is one line with a decimal comma', () => {
  expect(toCsv([payment({ transactionId: 'pi_1' })]).split('\r\n')[1]).toBe('p1;21/11/2026, 09:00;PIX;1234,56;BRL;Aprovado;pi_1')
})

test('a cell cannot become a formula or break its row', () => {
  expect(toCsv([payment({ transactionId: '=1+1' })])).toContain(";'=1+1")
  expect(toCsv([payment({ transactionId: 'a;"b"' })])).toContain('"a;""b"""')
})

test('no payments are only the heads', () => expect(toCsv([]).split('\r\n')).toHaveLength(1))
