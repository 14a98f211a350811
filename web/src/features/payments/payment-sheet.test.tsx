// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { payment } from '../../../test/checkout'
import { renderWith } from '../../../test/render'
import { companyKeys, type Company } from '../../api/companies'
import { paymentKeys } from '../../api/payments'
import { CompanyProvider } from '../../auth/company'
import { PaymentSheet } from './payment-sheet'

vi.mock('./result-dialog', () => ({
  default: ({ onClose }: { onClose: () => void }) => <button onClick={onClose}>Fechar</button>,
}))

test('"back" does not open again the payment that was closed, and the list stays where it was', async () => {
  const company = { id: 'c1', companyName: 'Ponto Central', userRole: 'finance', status: 'active' } as Company
  const queries = emptyCache()
  queries.setQueryData(companyKeys.list, [company])
  queries.setQueryData(paymentKeys.one('c1', 'pay1'), payment())
  const routes = [
    { path: '/payments', element: 'Pagamentos' },
    { path: '/payments/pay1', element: <PaymentSheet company={company} paymentId="pay1" /> },
  ]
  const router = createMemoryRouter(routes, { initialEntries: ['/payments?page=2', '/payments/pay1?page=2'] })
  renderWith(
    queries,
    <CompanyProvider onLost={() => undefined}>
      <RouterProvider router={router} />
    </CompanyProvider>,
  )
  const address = () => router.state.location.pathname + router.state.location.search
  await act(async () => fireEvent.click(await screen.findByRole('button', { name: 'Fechar' })))
  expect(address()).toBe('/payments?page=2')
  expect(router.state.preventScrollReset).toBe(true)
  await act(() => router.navigate(-1))
  expect(address()).toBe('/payments?page=2')
})
