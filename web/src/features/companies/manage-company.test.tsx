// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { MemoryRouter } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { api } from '../../api/client'
import { companyKeys } from '../../api/companies'
import { CompanyProvider } from '../../auth/company'
import { ManageCompanyPage } from './manage-company'

afterEach(cleanup)

test('the title that took the focus on arrival keeps it when the company is known', async () => {
  vi.spyOn(api, 'GET').mockReturnValue(new Promise(() => {}) as never)
  const queries = emptyCache()
  render(
    <QueryClientProvider client={queries}>
      <MemoryRouter>
        <CompanyProvider onLost={() => undefined}>
          <ManageCompanyPage />
        </CompanyProvider>
      </MemoryRouter>
    </QueryClientProvider>,
  )
  const title = screen.getByRole('heading', { level: 1 })
  title.focus()
  act(() => void queries.setQueryData(companyKeys.list, [{ id: 'c1', companyName: 'Ponto Central' }]))
  await screen.findByText('Ponto Central')
  expect(document.activeElement).toBe(title)
})
