// @vitest-environment happy-dom
import { createElement, type ReactNode } from 'react'
import { renderHook } from '@testing-library/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { describe, expect, test } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { order as ordered } from '../../../test/checkout'
import type { Payment } from '../../api/payments'
import { titleOf } from './labels'
import { isCancellable, shownStatus, useRetryOrder } from './payment-state'
import type { Order } from '../../live/payment-dialog'
import { reasonOf, reasonOfProvider } from '../../api/payment-reasons'

const payment = (rest: Partial<Payment>) =>
  ({ id: 'p1', status: 'PENDING', paymentMethod: 'CREDIT_CARD', ...rest }) as Payment
const refusal = { code: 'card_declined', message: 'Your card was declined.' }

describe('a card refused in this browser', () => {
  test.each(['PENDING', 'PROCESSING'] as const)('is shown as refused while the server still says %s', (status) => {
    expect(shownStatus(payment({ status }), refusal)).toBe('FAILED')
  })
  test('is shown as the server says once its word is final', () => {
    expect(shownStatus(payment({ status: 'SUCCESS' }), refusal)).toBe('SUCCESS')
    expect(shownStatus(payment({ status: 'CANCELLED' }), refusal)).toBe('CANCELLED')
  })
  test('says nothing about another method', () => {
    expect(shownStatus(payment({ paymentMethod: 'PIX' }), refusal)).toBe('PENDING')
  })
})

describe('cancelling', () => {
  test('is offered while a payment is open', () => {
    expect(isCancellable(payment({ paymentMethod: 'PIX' }))).toBe(true)
    expect(isCancellable(payment({ status: 'SUCCESS' }))).toBe(false)
    expect(isCancellable(payment({ status: 'FAILED' }))).toBe(false)
  })
  test('is not offered for an issued boleto or a payment under review', () => {
    expect(isCancellable(payment({ paymentMethod: 'BANK_SLIP', bankSlipLine: '000' }))).toBe(false)
    expect(isCancellable(payment({ paymentMethod: 'BANK_SLIP' }))).toBe(true)
    expect(isCancellable(payment({ status: 'PROCESSING', failureCode: 'under_review' }))).toBe(false)
  })
})

describe('another try', () => {
  const order: Order = { ...ordered, preview: { quoteId: 'q1' } as Order['preview'] }
  const retry = (amount: number) => {
    const wrapper = ({ children }: { children: ReactNode }) =>
      createElement(QueryClientProvider, { client: emptyCache() }, children)
    const tried = payment({ amount, metadata: { ...ordered } })
    return renderHook(() => useRetryOrder(tried, order), { wrapper }).result.current
  }

  test('keeps the quote that was paid', () => expect(retry(4990)).toEqual(order))
  test('knows no lines of an amount that the server has put right', () => {
    expect(retry(5990)).toEqual({ ...order, amount: 5990, preview: undefined, quoteId: undefined })
  })
})

describe('words', () => {
  test('every status has its title and an unknown one says so', () => {
    expect(['SUCCESS', 'FAILED', 'PENDING', 'PROCESSING', 'CANCELLED', 'NEW'].map(titleOf)).toEqual([
      'Pagamento Aprovado!',
      'Pagamento Recusado',
      'Pagamento Pendente',
      'Processando Pagamento',
      'Pagamento Cancelado',
      'Status Desconhecido',
    ])
  })
  test('a stolen card reads like any decline', () => {
    expect(reasonOfProvider('stolen_card')).toBe(reasonOf({ failureCode: 'declined' }))
    expect(reasonOfProvider('invalid_number')).toBe(reasonOf({ failureCode: 'incorrect_number' }))
  })
  test('what failed here is not blamed on the bank', () => {
    expect(reasonOfProvider('other')).toBe('O pagamento não foi concluído.')
    expect(reasonOfProvider('test_mode_live_card')).toContain('4242 4242 4242 4242')
  })
  test('a failure without a code has a sentence too', () => expect(reasonOf({})).toBe('O pagamento não foi concluído.'))
})
