// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../test/cache'
import { renderAt } from '../../test/render'
import { meKey } from '../api/auth'
import { api } from '../api/client'
import { ApiError } from '../api/errors'
import { paths } from '../lib/paths'
import { announce } from '../ui/announcer'
import { AdminLayout } from './admin-layout'

vi.mock('../ui/announcer', { spy: true })
vi.mock('./app-layout', () => ({ AppLayout: () => null }))
vi.mock('../features/admin/access-denied', () => {
  throw new TypeError('Failed to fetch dynamically imported module')
})

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
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
