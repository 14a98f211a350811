// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import type { ReactNode } from 'react'
import { expect, test, vi } from 'vitest'
import type { Company } from '../api/companies'
import { invoicePath, paths } from '../lib/paths'
import { useLostCompany } from './live-updates'

vi.mock('../auth/company', () => ({}))
vi.mock('../auth/use-session', () => ({}))

const lost = { id: 'c1', companyName: 'Ponto Central' } as Company

async function afterLoss(page: string, selected: boolean): Promise<string> {
  let router: ReturnType<typeof createMemoryRouter> | undefined
  const wrapper = ({ children }: { children: ReactNode }) => {
    router ??= createMemoryRouter([{ path: '*', element: children }], { initialEntries: [page] })
    return <RouterProvider router={router} />
  }
  const { result } = renderHook(() => useLostCompany(), { wrapper })
  await act(async () => result.current(lost, selected))
  return router?.state.location.pathname ?? ''
}

test.each([
  paths.companyManage,
  paths.companyAudit,
  paths.plans,
  paths.subscriptions,
  paths.payments,
  paths.invoices,
  invoicePath('i1'),
  paths.balances,
  paths.transactions,
  paths.analytics,
])('who loses the company of %s is led to the dashboard', async (page) => {
  expect(await afterLoss(page, true)).toBe(paths.dashboard)
})

test.each([paths.account, paths.companyCreate, paths.adminAnalytics])('who loses one on %s stays there', async (page) =>
  expect(await afterLoss(page, true)).toBe(page),
)

test('who loses another company than the one shown stays', async () => {
  expect(await afterLoss(paths.payments, false)).toBe(paths.payments)
})
