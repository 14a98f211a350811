// @vitest-environment happy-dom
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'
import { ApiError } from '../api/errors'
import { Announcer } from '../ui/announcer'
import { CompanyPage } from './company-page'

const refetch = vi.fn()
const query = { data: undefined, error: new ApiError('NETWORK_ERROR'), isPending: false, isFetching: false, refetch }
vi.mock('./company', () => ({ useCompany: () => ({ query, companies: [], company: undefined }) }))

test('that the companies could not be read is heard, too', async () => {
  render(
    <MemoryRouter>
      <CompanyPage title="Pagamentos" skeleton={null}>
        {() => null}
      </CompanyPage>
      <Announcer />
    </MemoryRouter>,
  )
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Erro ao carregar empresas'))
})

test('companies that could not be read are read again, and are not said to be none', () => {
  render(
    <MemoryRouter>
      <CompanyPage title="Pagamentos" skeleton={null} withoutCompany="Todos os planos">
        {() => null}
      </CompanyPage>
    </MemoryRouter>,
  )
  expect(screen.getByText('Erro ao carregar empresas')).toBeTruthy()
  expect(screen.queryByText('Nenhuma empresa selecionada')).toBeNull()
  expect(screen.queryByText('Todos os planos')).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Tentar Novamente' }))
  expect(refetch).toHaveBeenCalledOnce()
})
