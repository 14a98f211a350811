// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../test/cache'
import { renderAt } from '../../test/render'
import { meKey } from '../api/auth'
import { paths } from '../lib/paths'
import { AdminLayout } from './admin-layout'

vi.mock('./app-layout', () => ({ AppLayout: () => null }))
vi.mock('../features/admin/access-denied', () => {
  throw new TypeError('Failed to fetch dynamically imported module')
})

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('whoever is refused without network reads that, and not that we made an error', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  const queries = emptyCache()
  queries.setQueryData(meKey, { id: 'u1', userRole: 'user' })
  renderAt(paths.adminDashboard, <AdminLayout />, queries)
  await screen.findByText('Erro de conexão. Verifique sua internet')
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Sem conexão')
})
