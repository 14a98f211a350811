// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { BrowserRouter } from 'react-router'
import { expect, test, vi } from 'vitest'
import { answerOf } from '../../../../test/answer'
import { askingCache, renderWith } from '../../../../test/render'
import { userQuery } from '../../../api/admin'
import { api } from '../../../api/client'
import { ApiError } from '../../../api/errors'
import { TooltipProvider } from '../../../ui/tooltip'
import { AdminUsersPage } from './users'

vi.mock('../../../auth/use-session', () => ({ useUser: () => ({ id: 'root' }) }))

const row = {
  id: 'u1',
  name: 'Rita Campos',
  email: 'rita@exemplo.com.br',
  role: 'user',
  status: 'active',
  createdAt: '2026-11-21T12:00:00Z',
}
const summary = { total: 11, active: 11, admins: 1, pending: 0 }

function show(address: string) {
  window.history.replaceState(null, '', address)
  const queries = askingCache()
  renderWith(
    queries,
    <TooltipProvider>
      <BrowserRouter>
        <AdminUsersPage />
      </BrowserRouter>
    </TooltipProvider>,
  )
  return queries
}

test('what was searched for can be changed where the search has failed', async () => {
  vi.spyOn(api, 'GET').mockRejectedValue(new ApiError('INTERNAL_ERROR', { status: 500 }))
  show('/admin/users?search=Rita')
  await screen.findByText('Erro ao carregar usuários')
  expect(screen.getByLabelText<HTMLInputElement>('Buscar').value).toBe('Rita')
  screen.getByLabelText('Status')
})

test('a page behind the last one leads to the last one and claims no emptiness', async () => {
  vi.spyOn(api, 'GET').mockImplementation(((path: string, { params }: { params: { query?: { page: number } } }) => {
    const data = path.endsWith('/users')
      ? { users: params.query?.page === 2 ? [row] : [], total: 11, page: params.query?.page, summary }
      : { views: [] }
    return Promise.resolve(answerOf(data))
  }) as never)
  show('/admin/users?page=999')
  await screen.findAllByText('Rita Campos')
  expect(screen.getByText('Página 2 de 2')).toBeTruthy()
  expect(screen.queryByText('Nenhum usuário encontrado')).toBeNull()
})

test('"back" closes the person that was opened, and leaves the list on its page', async () => {
  const person = { ...row, userName: row.name, userEmail: row.email, userPhone: '11987654321', sessions: 0 }
  const user = { ...person, emailVerified: true, companies: [], consents: [] }
  const all = { user, users: [row], total: 11, page: 2, summary, entries: [], views: [] }
  vi.spyOn(api, 'GET').mockResolvedValue(answerOf(all))
  window.history.replaceState(null, '', '/dashboard')
  window.history.pushState(null, '', '/admin/users?page=2')
  show('/admin/users?page=2')
  fireEvent.click(await screen.findByRole('button', { name: 'Ver Rita Campos' }))
  await screen.findByRole('dialog')
  act(() => window.history.back())
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(window.location.pathname + window.location.search).toBe('/admin/users?page=2')
})

test('the sheet of a person who was erased goes with the question, and asks for nobody', async () => {
  const person = { ...row, userName: row.name, userEmail: row.email, userPhone: '11987654321', sessions: 0 }
  const user = { ...person, emailVerified: true, companies: [], consents: [] }
  const all = { user, users: [row], total: 1, page: 1, summary, entries: [], views: [] }
  const get = vi.spyOn(api, 'GET').mockResolvedValue(answerOf(all))
  vi.spyOn(api, 'DELETE').mockResolvedValue({ response: new Response(null, { status: 204 }) } as never)
  const queries = show('/admin/users?user=u1&remove=u1')
  const typed = await screen.findByLabelText(/^Digite rita/)
  expect(document.querySelector('[role="dialog"]')).toBeTruthy()
  fireEvent.change(typed, { target: { value: row.email } })
  const form = typed.closest('form')
  if (form) fireEvent.submit(form)
  await waitFor(() => expect(document.querySelector('[role="alertdialog"], [role="dialog"]')).toBeNull())
  await waitFor(() => expect(queries.getQueryData(userQuery('u1').queryKey)).toBeUndefined())
  expect(get.mock.calls.filter((call: unknown[]) => call[0] === '/api/admin/users/{id}')).toHaveLength(1)
})
