// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import { createMemoryRouter, Outlet, RouterProvider, useNavigate } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { order } from '../../../test/checkout'
import { api } from '../../api/client'
import { companyKeys, type Company } from '../../api/companies'
import { CompanyProvider } from '../../auth/company'
import { openCheckout, paymentDialog } from '../../live/payment-dialog'
import { PaymentHost } from './payment-host'

vi.mock('../../auth/use-session', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ id: 'u1', userName: 'Maria', userEmail: 'maria@exemplo.com.br', userRole: 'user' }),
}))

const provider = {
  name: 'stripe',
  publishableKey: 'pk_test_sandbox',
  sandbox: true,
  methods: [{ type: 'PIX', available: true, requiredFields: ['taxId'] }],
}
const company = { id: order.companyId, companyName: 'Ponto Central', userRole: 'admin', status: 'active' } as Company

let queries: QueryClient
let router: ReturnType<typeof createMemoryRouter>

beforeEach(() => {
  queries = emptyCache()
  queries.setQueryData(companyKeys.list, [company])
  vi.spyOn(api, 'GET').mockImplementation(((path: string) => {
    const data = path.endsWith('/providers')
      ? { providers: [provider] }
      : path.endsWith('/me')
        ? { user: { id: 'u1', userDocument: '' } }
        : { methods: [], billingProfile: null }
    return Promise.resolve({ data: { success: true, data }, response: new Response() })
  }) as never)
})
afterEach(cleanup)

function Layout() {
  const navigate = useNavigate()
  return (
    <CompanyProvider onLost={() => void navigate('/dashboard')}>
      <Outlet />
      <PaymentHost />
    </CompanyProvider>
  )
}

/** A checkout with something typed into it. */
async function typed() {
  router = createMemoryRouter([{ element: <Layout />, children: [{ path: '*', element: null }] }], {
    initialEntries: ['/plans'],
  })
  render(
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  act(() => openCheckout(order, { method: 'PIX' }))
  fireEvent.change(await screen.findByLabelText('CPF ou CNPJ'), { target: { value: '111.444.777-35' } })
}

const list = (companies: Company[]) => act(async () => queries.setQueryData(companyKeys.list, companies))

test.each([
  ['the only company', []],
  ['one of several companies', [{ ...company, id: 'c2' }]],
])('whoever loses %s loses its payment dialog too, and is led away unasked', async (_, left) => {
  await typed()
  await list(left)
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.queryByRole('alertdialog')).toBeNull()
  expect(paymentDialog.get().kind).toBe('closed')
})
