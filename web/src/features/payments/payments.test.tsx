// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { QueryClient } from '@tanstack/react-query'
import { Route, Routes } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { renderAt } from '../../../test/render'
import { companyKeys, type Company } from '../../api/companies'
import { paymentKeys } from '../../api/payments'
import { CompanyProvider } from '../../auth/company'
import { paymentsRoute } from '../../lib/paths'
import { PaymentsPage } from './payments'

vi.mock('./result-dialog', () => ({ default: ({ companyId }: { companyId: string }) => `Pagamento de ${companyId}` }))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('the link of a payment leads to its company, also for who may not read money of the selected one', async () => {
  vi.stubGlobal('fetch', () => new Promise(() => undefined))
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  queries.setQueryData(companyKeys.list, [
    { id: 'c1', companyName: 'Ponto Central', userRole: 'operator', status: 'active' },
    { id: 'c2', companyName: 'Ponto Norte', userRole: 'finance', status: 'active' },
  ] as unknown as Company[])
  queries.setQueryData(paymentKeys.one('c1', 'pay1'), { id: 'pay1', companyId: 'c2' } as never)
  renderAt(
    '/payments/pay1',
    <CompanyProvider onLost={() => undefined}>
      <Routes>
        <Route path={paymentsRoute} element={<PaymentsPage />} />
      </Routes>
    </CompanyProvider>,
    queries,
  )
  expect(await screen.findByText(/Pagamento de c2/)).toBeTruthy()
})
