// @vitest-environment happy-dom
import { useEffect, useState } from 'react'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { emptyCache } from '../../test/cache'
import { renderAt } from '../../test/render'
import { meKey } from '../api/auth'
import { api } from '../api/client'
import { ApiError } from '../api/errors'
import { paths } from '../lib/paths'
import { announce } from '../ui/announcer'
import { AdminLayout } from './admin-layout'

vi.mock('../ui/announcer', { spy: true })
vi.mock('./app-layout', () => ({
  // As the shell does: the page, and its heading, come with the second rendering.
  AppLayout: () => {
    const [isThere, setThere] = useState(false)
    useEffect(() => setThere(true), [])
    return isThere && <h1 tabIndex={-1}>Admin Dashboard</h1>
  },
}))
vi.mock('../features/admin/second-factor-required', () => ({
  default: ({ onEnabled }: { onEnabled: () => void }) => <button onClick={onEnabled}>Abrir o Painel Admin</button>,
}))
vi.mock('../features/admin/access-denied', () => {
  throw new TypeError('Failed to fetch dynamically imported module')
})

test('whoever is refused without network reads that, and not that we made an error', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  const queries = emptyCache()
  queries.setQueryData(meKey, { id: 'u1', userRole: 'user' })
  renderAt(paths.adminDashboard, <AdminLayout />, queries)
  await screen.findByText('Erro de conexão. Verifique sua internet')
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Sem conexão')
})

test('that the role could not be checked is heard, also after another try', async () => {
  vi.spyOn(api, 'GET').mockRejectedValue(new ApiError('INTERNAL_ERROR', { status: 500 }))
  renderAt(paths.adminDashboard, <AdminLayout />, emptyCache())
  const told = () =>
    vi.mocked(announce).mock.calls.filter(([said]) => said === 'Não foi possível verificar suas permissões')
  await waitFor(() => expect(told()).toHaveLength(1))
  fireEvent.click(await screen.findByRole('button', { name: 'Tentar Novamente' }))
  await waitFor(() => expect(told()).toHaveLength(2))
})

test('the area that opens after a second factor was added takes the focus', async () => {
  const queries = emptyCache()
  queries.setQueryData(meKey, { id: 'u1', userRole: 'admin' })
  renderAt(paths.adminDashboard, <AdminLayout />, queries)
  const refusal = new ApiError('SECOND_FACTOR_REQUIRED', { status: 403 })
  void queries.fetchQuery({ queryKey: ['admin'], queryFn: () => Promise.reject(refusal) }).catch(() => undefined)
  const open = await screen.findByRole('button', { name: 'Abrir o Painel Admin' })
  open.focus()
  fireEvent.click(open)
  const heading = await screen.findByRole('heading', { name: 'Admin Dashboard' })
  await waitFor(() => expect(document.activeElement).toBe(heading))
})
