// @vitest-environment happy-dom
import { act, cleanup, screen } from '@testing-library/react'
import type { QueryClient } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderAt } from '../../../test/render'
import { api } from '../../api/client'
import { companyKeys } from '../../api/companies'
import { CompanyProvider } from '../../auth/company'
import { setLiveStatus } from '../../live/status'
import { ManageCompanyPage } from './manage-company'

afterEach(cleanup)

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
