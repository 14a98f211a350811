// @vitest-environment happy-dom
import { act, cleanup, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { emptyCache, payment, subscription } from '../../test/cache'
import { renderAt } from '../../test/render'
import { subscriptionKeys } from '../api/subscriptions'
import { closePaymentDialog, showPayment } from '../live/payment-dialog'
import { SubscriptionBanner } from './subscription-banner'

const { company } = vi.hoisted(() => ({ company: { id: 'c1', status: 'active', userRole: 'admin' } }))
vi.mock('../auth/company', () => ({ useCompany: () => ({ company }) }))

afterEach(() => {
  cleanup()
  closePaymentDialog()
})

test('what is urgent is told, but not behind the dialog of a payment, which tells how that goes', () => {
  const queries = emptyCache()
  const open = payment(1, { amount: 4990, currency: 'BRL', paymentMethod: 'PIX' })
  queries.setQueryData(subscriptionKeys.current('c1'), subscription(1, { planId: 'p1', payment: open }))
  renderAt('/', <SubscriptionBanner />, queries)
  const told = () => screen.queryByRole('status')?.textContent ?? null
  expect(told()).toMatch(/^Pagamento em aberto: R\$\s49,90 por PIX/)
  act(() => showPayment('c1', 'p1'))
  expect(told()).toBeNull()
  screen.getByText(/^Pagamento em aberto/)
  act(closePaymentDialog)
  expect(told()).not.toBeNull()
})
