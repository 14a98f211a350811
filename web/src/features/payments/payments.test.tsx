// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import type { QueryClient } from '@tanstack/react-query'
import { Route, Routes } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { emptyCache, payment } from '../../../test/cache'
import { renderAt } from '../../../test/render'
import { api } from '../../api/client'
import { companyKeys, type Company } from '../../api/companies'
import { ApiError } from '../../api/errors'
import { paymentKeys, paymentsQuery, type Payment } from '../../api/payments'
import { plansQuery } from '../../api/plans'
import { subscriptionKeys } from '../../api/subscriptions'
import { CompanyProvider } from '../../auth/company'
import { paymentsRoute } from '../../lib/paths'
import { clearToasts, useToasts } from '../../ui/toast'
import { PaymentsPage } from './payments'

vi.mock('./result-dialog', () => ({ default: ({ companyId }: { companyId: string }) => `Pagamento de ${companyId}` }))

afterEach(() => {
  cleanup()
  clearToasts()
})

function Toasts() {
  return <output>{useToasts().toasts.map(({ text }) => text)}</output>
}

/** The page at an address, for who belongs to the companies of the cache. */
function show(address: string, queries: QueryClient) {
  renderAt(
    address,
    <CompanyProvider onLost={() => undefined}>
      <Routes>
        <Route path={paymentsRoute} element={<PaymentsPage />} />
      </Routes>
      <Toasts />
    </CompanyProvider>,
    queries,
  )
}

test('the link of a payment leads to its company, also for who may not read money of the selected one', async () => {
  vi.stubGlobal('fetch', () => new Promise(() => undefined))
  const queries = emptyCache()
  queries.setQueryData(companyKeys.list, [
    { id: 'c1', companyName: 'Ponto Central', userRole: 'operator', status: 'active' },
    { id: 'c2', companyName: 'Ponto Norte', userRole: 'finance', status: 'active' },
  ] as unknown as Company[])
  queries.setQueryData(paymentKeys.one('c1', 'pay1'), { id: 'pay1', companyId: 'c2' } as never)
  show('/payments/pay1', queries)
  expect(await screen.findByText(/Pagamento de c2/)).toBeTruthy()
})

test('an open payment goes with the right to see money, for whoever lost it hears no more of it', async () => {
  vi.stubGlobal('fetch', () => new Promise(() => undefined))
  const queries = emptyCache()
  const asRole = (userRole: Company['userRole']) =>
    queries.setQueryData(companyKeys.list, [
      { id: 'c1', companyName: 'Ponto Central', userRole, status: 'active' } as Company,
    ])
  asRole('finance')
  queries.setQueryData(paymentKeys.one('c1', 'pay1'), { ...payment(1), id: 'pay1', companyId: 'c1' })
  show('/payments/pay1', queries)
  await screen.findByText(/Pagamento de c1/)
  act(() => void asRole('operator'))
  await screen.findByText('Você não tem permissão para esta ação')
  expect(screen.queryByText(/Pagamento de c1/)).toBeNull()
})

test('the payments stay where they are while plans that could not be read are read again', async () => {
  const queries = emptyCache()
  queries.setQueryData(companyKeys.list, [
    { id: 'c1', companyName: 'Ponto Central', userRole: 'finance', status: 'active' } as Company,
  ])
  const page = { payments: [], total: 3, page: 1, totalPaid: 0 }
  queries.setQueryData(paymentsQuery('c1', {}, 1).queryKey, page as never)
  const get = vi.spyOn(api, 'GET').mockRejectedValue(new ApiError('INTERNAL_ERROR', { status: 500 }))
  show('/payments', queries)
  await screen.findByRole('table', { name: 'Pagamentos da empresa' })
  get.mockReturnValue(new Promise(() => undefined) as never)
  await act(async () => {
    void queries.refetchQueries({ queryKey: plansQuery().queryKey })
    await new Promise((resolve) => setTimeout(resolve))
  })
  screen.getByRole('table', { name: 'Pagamentos da empresa' })
})

test('a file that could not be made is not called a list that could not be read', async () => {
  const queries = emptyCache()
  queries.setQueryData(companyKeys.list, [
    { id: 'c1', companyName: 'Ponto Central', userRole: 'finance', status: 'active' } as Company,
  ])
  queries.setQueryData(plansQuery().queryKey, [])
  queries.setQueryData(paymentsQuery('c1', {}, 1).queryKey, { payments: [], total: 1, page: 1, totalPaid: 0 } as never)
  vi.spyOn(api, 'GET').mockRejectedValue(new ApiError('INTERNAL_ERROR', { status: 500 }))
  show('/payments', queries)
  fireEvent.click(await screen.findByRole('button', { name: 'Exportar CSV' }))
  await screen.findByText('Erro ao exportar pagamentos')
})

test('the payments of a plan that went off sale keep its name while the company has it', async () => {
  const queries = emptyCache()
  queries.setQueryData(companyKeys.list, [
    { id: 'c1', companyName: 'Ponto Central', userRole: 'finance', status: 'active' } as Company,
  ])
  queries.setQueryData(plansQuery().queryKey, [])
  const own = { planId: 'p1', plan: { id: 'p1', displayName: 'Antigo' } }
  queries.setQueryData(subscriptionKeys.current('c1'), own as never)
  const paid = payment(1, {
    status: 'SUCCESS',
    amount: 4990,
    currency: 'brl',
    paymentMethod: 'PIX',
    createdAt: '2026-11-21T12:00:00Z',
    metadata: { planId: 'p1', billingCycle: 'monthly', changeType: 'renewal' } as Payment['metadata'],
  })
  const page = { payments: [paid], total: 1, page: 1, totalPaid: 4990 }
  queries.setQueryData(paymentsQuery('c1', {}, 1).queryKey, page as never)
  show('/payments', queries)
  await screen.findByRole('link', { name: 'Detalhes: Antigo · Mensal, 21/11/2026' })
})
