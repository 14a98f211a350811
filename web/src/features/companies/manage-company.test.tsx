// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import type { QueryClient } from '@tanstack/react-query'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderAt, renderWith } from '../../../test/render'
import { billingProfileQuery } from '../../api/billing-profile'
import { api } from '../../api/client'
import { companyKeys } from '../../api/companies'
import { CompanyProvider } from '../../auth/company'
import { setLiveStatus } from '../../live/status'
import { TooltipProvider } from '../../ui/tooltip'
import { ManageCompanyPage } from './manage-company'

vi.mock('../../auth/use-session', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ id: 'u1', userName: 'Maria', userEmail: 'maria@exemplo.com.br', userRole: 'user' }),
}))

function show(queries: QueryClient, address = '/company/manage') {
  vi.spyOn(api, 'GET').mockReturnValue(new Promise(() => {}) as never)
  renderAt(
    address,
    <CompanyProvider onLost={() => undefined}>
      <ManageCompanyPage />
    </CompanyProvider>,
    queries,
  )
}

test('the title that took the focus on arrival keeps it when the company is known', async () => {
  const queries = emptyCache()
  show(queries)
  const title = screen.getByRole('heading', { level: 1 })
  title.focus()
  act(() => void queries.setQueryData(companyKeys.list, [{ id: 'c1', companyName: 'Ponto Central' }]))
  await screen.findByText('Ponto Central')
  expect(document.activeElement).toBe(title)
})

test('a link opens the company that it names, and not the one of this tab', () => {
  const queries = emptyCache()
  queries.setQueryData(companyKeys.list, [
    { id: 'c1', companyName: 'Ponto Azul' },
    { id: 'c2', companyName: 'Zeta' },
  ])
  show(queries, '/company/manage?companyId=c2')
  screen.getByRole('heading', { level: 1, name: 'Zeta' })
})

test('what no live connection keeps new says how old it is', () => {
  const queries = emptyCache()
  queries.setQueryData(companyKeys.list, [], { updatedAt: Date.now() - 130_000 })
  show(queries)
  screen.getByText('Atualizado há 2 min')
  act(() => setLiveStatus({ connection: 'live' }))
  expect(screen.queryByText('Atualizado há 2 min')).toBeNull()
  act(() => setLiveStatus({ connection: 'off' }))
})

test.each(['Editar', 'Preencher dados de cobrança', 'Remover Ana', 'Redefinir a verificação em duas etapas de Ana'])(
  'what "%s" has opened ends with the right to it, and does not come back with it',
  async (button) => {
    vi.spyOn(api, 'GET').mockReturnValue(new Promise(() => {}) as never)
    const company = { id: 'c1', companyName: 'Ponto Central', createdAt: '2026-11-21T12:00:00Z', userRole: 'admin' }
    const ana = { id: 'm2', userId: 'u2', userName: 'Ana', userEmail: 'ana@exemplo.com.br', role: 'operator' }
    const queries = emptyCache()
    queries.setQueryData(companyKeys.list, [{ ...company, status: 'active' }])
    queries.setQueryData(companyKeys.detail('c1'), { ...company, users: [ana], invites: [], stats: {}, maxUsers: 5 })
    queries.setQueryData(billingProfileQuery('c1').queryKey, null)
    const element = (
      <CompanyProvider onLost={() => undefined}>
        <TooltipProvider>
          <ManageCompanyPage />
        </TooltipProvider>
      </CompanyProvider>
    )
    renderWith(queries, <RouterProvider router={createMemoryRouter([{ path: '*', element }])} />)
    const becomes = (status: string) =>
      act(async () => {
        queries.setQueryData(companyKeys.list, [{ ...company, status }])
        await new Promise((resolve) => setTimeout(resolve))
      })
    fireEvent.click(screen.getByRole('button', { name: button }))
    screen.getByRole(/^(Editar|Preencher)/.test(button) ? 'dialog' : 'alertdialog')
    await becomes('suspended')
    await becomes('active')
    expect(screen.getByRole('button', { name: button })).toBeTruthy()
    expect(screen.queryByRole('dialog') ?? screen.queryByRole('alertdialog')).toBeNull()
  },
)
