// @vitest-environment happy-dom
import { render, screen } from '@testing-library/react'
import { describe, expect, test, vi } from 'vitest'
import type { PaymentMethod } from '../../api/payment-methods'
import type { Preview } from '../../api/subscriptions'
import type { Order } from '../../live/payment-dialog'
import { OrderSummary, periodOf, renewalTerms } from './order-summary'

vi.mock('../../auth/company', () => ({ useCompany: () => ({ company: undefined }) }))

const preview = {
  changeType: 'creation',
  newPlan: { id: 'p1', name: 'Essencial', price: 127.25 },
  billing: { effectiveDate: '2026-11-22T15:00:00Z', nextBillingDate: '2027-02-22T15:00:00Z' },
  warnings: [],
} as unknown as Preview
const order: Order = {
  companyId: 'c1',
  planId: 'p1',
  planName: 'Essencial',
  billingCycle: 'quarterly',
  changeType: 'creation',
  amount: 12725,
  preview,
}
const plain = (text: string | null) => text?.replaceAll('\u00a0', ' ')

describe('the period', () => {
  const paid = (change: Partial<Preview>, method: PaymentMethod = 'BANK_SLIP') =>
    periodOf({ ...order, preview: { ...preview, ...change } }, method)
  const free = { name: 'Grátis', price: 0 }
  const running = { name: 'Profissional', price: 254.75 }

  test('has both ends', () => {
    expect(periodOf(order, 'PIX')).toBe('22/11/2026 a 22/02/2027')
    expect(paid({ changeType: 'renewal', currentPlan: running })).toBe('22/11/2026 a 22/02/2027')
    expect(paid({ changeType: 'upgrade', currentPlan: running })).toBe('22/11/2026 a 22/02/2027')
  })

  test.each<[string, Partial<Preview>]>([
    ['buys a first one', {}],
    ['renews one that has ended', { changeType: 'renewal' }],
    ['leaves a free plan', { changeType: 'upgrade', currentPlan: free }],
    ['changes the cycle', { changeType: 'upgrade', currentPlan: running, warnings: ['BILLING_DAY_CHANGES'] }],
  ])('begins with the payment of a boleto that %s', (_name, change) => {
    expect(paid(change)).toBe('3 meses a partir do pagamento')
    expect(paid(change, 'PIX')).toBe('22/11/2026 a 22/02/2027')
  })

  test('is left out where it is not known', () => {
    expect(periodOf({ ...order, preview: undefined }, 'PIX')).toBeNull()
  })
})

describe('the terms of the renewal', () => {
  test('name the day, the price and the card', () => {
    expect(plain(renewalTerms(order, 'CREDIT_CARD', 'Visa 4242'))).toBe(
      'Renova em 22/02/2027, por R$ 127,25, no Visa 4242. Você pode cancelar a qualquer momento.',
    )
  })

  test('name no day that a boleto has still to set', () => {
    expect(plain(renewalTerms(order, 'BANK_SLIP', 'Visa 4242'))).toMatch(
      /^Renova ao fim do período, por R\$ 127,25, no/,
    )
  })

  test('promise no charge without a card', () => {
    expect(renewalTerms(order, 'PIX', null)).toBe(
      'Sem cartão salvo, não há cobrança automática: avisaremos por email antes do vencimento em 22/02/2027.',
    )
    expect(renewalTerms({ ...order, preview: undefined }, 'PIX', null)).toBe(
      'Sem cartão salvo, não há cobrança automática: avisaremos por email antes do vencimento.',
    )
  })

  test('promise no charge of a card that was refused', () => {
    expect(renewalTerms(order, 'PIX', null, true)).toBe(
      'O cartão salvo foi recusado e não renova: avisaremos por email antes do vencimento em 22/02/2027.',
    )
  })

  test('promise neither a charge nor none where the saved cards could not be read', () => {
    expect(plain(renewalTerms(order, 'CREDIT_CARD', undefined))).toBe('Renova em 22/02/2027, por R$ 127,25.')
    expect(renewalTerms({ ...order, preview: undefined }, 'PIX', undefined)).toBe('Renova ao fim do período.')
  })
})

test('another amount than the quoted one promises neither its period nor its price', () => {
  const summary = (total: number) => <OrderSummary order={order} total={total} method="PIX" renewsOn="Visa 4242" />
  const { rerender } = render(summary(order.amount))
  screen.getByText('22/11/2026 a 22/02/2027')
  rerender(summary(order.amount + 1))
  expect(screen.queryByText('Período')).toBeNull()
  screen.getByText('Renova ao fim do período no Visa 4242. Você pode cancelar a qualquer momento.')
})
