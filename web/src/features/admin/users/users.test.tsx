// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { MemoryRouter } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { api } from '../../../api/client'
import { TooltipProvider } from '../../../ui/tooltip'
import { AdminUsersPage } from './users'

vi.mock('../../../auth/use-session', () => ({ useUser: () => ({ id: 'root' }) }))

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

const row = {
  id: 'u1',
  name: 'Rita Campos',
  email: 'rita@exemplo.com.br',
  role: 'user',
  status: 'active',
  createdAt: '2026-11-21T12:00:00Z',
}
const summary = { total: 11, active: 11, admins: 1, pending: 0 }

test('a page behind the last one leads to the last one and claims no emptiness', async () => {
  vi.spyOn(api, 'GET').mockImplementation(((path: string, { params }: { params: { query?: { page: number } } }) => {
    const data = path.endsWith('/users')
      ? { users: params.query?.page === 2 ? [row] : [], total: 11, page: params.query?.page, summary }
      : { views: [] }
    return Promise.resolve({ data: { success: true, data }, response: new Response() })
  }) as never)
  window.history.replaceState(null, '', '/admin/users?page=999')
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <TooltipProvider>
        <MemoryRouter initialEntries={['/admin/users?page=999']}>
          <AdminUsersPage />
        </MemoryRouter>
      </TooltipProvider>
    </QueryClientProvider>,
  )
  await screen.findAllByText('Rita Campos')
  expect(screen.getByText('Página 2 de 2')).toBeTruthy()
  expect(screen.queryByText('Nenhum usuário encontrado')).toBeNull()
})
