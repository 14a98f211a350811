// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import type { Transaction } from '../../api/statement'
import { toCsv } from './transactions-csv'

const line = (rest: Partial<Transaction>) =>
  ({
    id: 'p1',
    kind: 'charge',
    at: '2026-11-21T15:00:00Z',
    amount: 123456,
    status: 'SUCCESS',
    change: 'creation',
    planName: 'Essencial',
    billingCycle: 'monthly',
    method: 'PIX',
    paymentId: 'p1',
    invoiceId: 'p1',
    invoiceNumber: 12,
    ...rest,
  }) as Transaction

const rowOf = (rest: Partial<Transaction>) => toCsv([line(rest)]).split('\r\n')[1]

test('a charge is one line with its document and its payment', () => {
  expect(rowOf({})).toBe(
    '21/11/2026 12:00;Cobrança;Essencial · Mensal;Essencial · Mensal;PIX;1234,56;;Aprovado;000012;p1',
  )
})

test('what went out is below zero, and a number', () => {
  expect(rowOf({ kind: 'refund', amount: 990, status: null })).toContain(
    ';Valor devolvido;Essencial · Mensal;PIX;-9,90;;;',
  )
  const used = { kind: 'credit', creditKind: 'used', amount: -4990, status: null, change: 'renewal' } as const
  expect(rowOf({ ...used, method: null, paymentId: null })).toBe(
    '21/11/2026 12:00;Crédito;Crédito usado na renovação;Essencial · Mensal;;-49,90;;;000012;',
  )
})

test('a refused attempt says why, has no document, and adds nothing to what moved', () => {
  const refused = { kind: 'attempt', status: 'FAILED', failureCode: 'insufficient_funds', invoiceNumber: null } as const
  expect(rowOf(refused)).toContain(';PIX;;1234,56;O cartão não tem saldo ou limite suficiente.;;p1')
})

test('a name cannot become a formula or break its row', () => {
  expect(rowOf({ planName: '=1+1;x', billingCycle: null })).toContain(`;"'=1+1;x";"'=1+1;x";`)
})
