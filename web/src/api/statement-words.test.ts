import { expect, test } from 'vitest'
import type { Transaction } from './statement'
import { attemptText, creditText, formatSigned, lineTexts, planOf, signedAmount } from './statement-words'

const line = (rest: Partial<Transaction>) =>
  ({ kind: 'charge', amount: 9990, planName: 'Essencial', billingCycle: 'monthly', ...rest }) as Transaction

test('credit says why it came and what used it', () => {
  const at = (amount: number, change?: 'renewal' | 'upgrade' | 'downgrade') => ({ amount, change: change ?? null })
  expect(creditText('used', at(-4990, 'renewal'))).toBe('Crédito usado na renovação')
  expect(creditText('used', at(-4990))).toBe('Crédito usado')
  expect(creditText('proration', at(100, 'downgrade'))).toBe('Crédito do downgrade')
  expect(creditText('proration', at(100))).toBe('Crédito da mudança de plano')
  expect(creditText('unapplied_payment', at(9990))).toBe('Pagamento atrasado ou em dobro')
  expect(creditText('early_end', at(100))).toBe('Período pago e não usado')
  expect(creditText('carried', at(-30))).toBe('Fica para a próxima cobrança')
  expect(creditText('carried', at(30))).toBe('Valor pendente quitado')
  expect(creditText('granted' as 'used', at(100))).toBe('Movimentação de crédito')
})

test('a line tells its plan, its method and why it was refused', () => {
  expect(lineTexts(line({ change: 'upgrade', method: 'PIX' }))).toEqual({
    title: 'Essencial · Mensal',
    note: 'Upgrade · PIX',
  })
  expect(lineTexts(line({ kind: 'attempt', method: 'CREDIT_CARD', failureCode: 'expired_card' })).note).toBe(
    'Cartão de Crédito · O cartão está vencido.',
  )
  expect(lineTexts(line({ kind: 'refund' })).title).toBe('Valor devolvido')
  expect(lineTexts(line({ kind: 'refund', amount: -990 })).title).toBe('Devolução desfeita')
  expect(lineTexts(line({ kind: 'credit', creditKind: 'used', planName: null })).note).toBe('')
})

test('an attempt without a refusal shows where it stands', () => {
  expect(attemptText({ status: 'PENDING', failureCode: null })).toBe('Pendente')
  expect(attemptText({ status: null, failureCode: null })).toBe('')
  expect(attemptText({ status: 'HELD' as 'PENDING', failureCode: null })).toBe('HELD')
})

test('what went back and what was used stand below zero', () => {
  expect(signedAmount({ kind: 'refund', amount: 990 })).toBe(-990)
  expect(signedAmount({ kind: 'credit', amount: -990 })).toBe(-990)
  expect(signedAmount({ kind: 'charge', amount: 990 })).toBe(990)
  expect([formatSigned(990), formatSigned(-990)]).toEqual(['+R$\u00a09,90', '-R$\u00a09,90'])
  expect(planOf({ planName: null, billingCycle: 'monthly' })).toBe('')
})
