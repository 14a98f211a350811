// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { payment } from '../../../test/checkout'
import { renderAt } from '../../../test/render'
import { invoiceQuery, type Invoice } from '../../api/invoices'
import type { Payment } from '../../api/payments'
import { plansQuery } from '../../api/plans'
import { subscriptionKeys } from '../../api/subscriptions'
import { TooltipProvider } from '../../ui/tooltip'
import { ResultDetails, ResultMark } from './result-details'

const invoice = {
  id: 'pay1',
  number: 12,
  kind: 'payment',
  at: '2026-12-01T12:00:00Z',
  payer: { name: 'Ponto Norte', taxId: null, address: null },
  planName: 'Essencial',
  billingCycle: 'monthly',
  total: 4990,
  currency: 'brl',
  becameCredit: false,
  payment: { id: 'pay1', method: 'BANK_SLIP', provider: 'stripe' },
} as Invoice

const boleto = (rest: Partial<Payment> = {}) =>
  payment({
    paymentMethod: 'BANK_SLIP',
    currency: 'brl',
    provider: 'stripe',
    createdAt: '2026-11-27T12:00:00Z',
    metadata: { planId: 'p1', billingCycle: 'monthly', changeType: 'creation' },
    ...rest,
  } as Payment)

function show(shown: Payment) {
  const queries = emptyCache()
  queries.setQueryData(invoiceQuery('c1', 'pay1').queryKey, invoice)
  queries.setQueryData(plansQuery().queryKey, [])
  queries.setQueryData(subscriptionKeys.current('c1'), null)
  renderAt(
    '/payments/pay1',
    <TooltipProvider>
      <ResultDetails payment={shown} onLeave={undefined} />
    </TooltipProvider>,
    queries,
  )
}

test('a boleto that was paid days later tells the day of its row from the day of the money', () => {
  show(boleto({ status: 'SUCCESS' }))
  expect(screen.getByText('Data').nextElementSibling?.textContent).toContain('27/11/2026')
  expect(screen.getByText('Pago em').nextElementSibling?.textContent).toContain('01/12/2026')
})

test('the head of a receipt names the amount that came in, as its lines do', () => {
  const accepted = boleto({ status: 'SUCCESS', amount: 9990, received: 4990 })
  renderAt('/payments/pay1', <ResultMark status="SUCCESS" payment={accepted} />, emptyCache())
  screen.getByText(/^R\$\s49,90$/)
})

test('the id that the support asks for is shown whole', () => {
  show(boleto({ transactionId: 'pi_3QabcdefGHIJKLMN0opqrstu' }))
  expect(screen.getByText('pi_3QabcdefGHIJKLMN0opqrstu').className).toContain('wrap-anywhere')
})

test('the id of a payment says for two seconds that it was copied', async () => {
  vi.useFakeTimers()
  vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue(undefined)
  show(boleto())
  const named = (name: string) => screen.queryByRole('button', { name, hidden: true })
  fireEvent.click(screen.getByRole('button', { name: 'Copiar ID do pagamento', hidden: true }))
  // The timer begins once the copy was drawn.
  await act(() => vi.advanceTimersByTimeAsync(0))
  await act(() => vi.advanceTimersByTimeAsync(1_900))
  expect(named('Código Copiado!')).toBeTruthy()
  await act(() => vi.advanceTimersByTimeAsync(200))
  expect(named('Código Copiado!')).toBeNull()
  expect(named('Copiar ID do pagamento')).toBeTruthy()
})
