// @vitest-environment happy-dom
import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { createBrowserRouter, RouterProvider } from 'react-router'
import { expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { emptyCache } from '../../../test/cache'
import { renderWith } from '../../../test/render'
import { api } from '../../api/client'
import { companyKeys, companyQuery, type CompanyDetail, type Member } from '../../api/companies'
import { TooltipProvider } from '../../ui/tooltip'
import { Members } from './members'

vi.mock('../../auth/use-session', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ id: 'u1', userName: 'Maria', userEmail: 'maria@exemplo.com.br', userRole: 'user' }),
}))

test('the dialog that adds a person opens and closes without touching the rest of the address', async () => {
  window.history.replaceState(null, '', '/company/manage?companyId=c1')
  const company = { id: 'c1', userRole: 'admin', users: [], invites: [], maxUsers: 5 } as unknown as CompanyDetail
  const router = createBrowserRouter([{ path: '*', element: <Members company={company} detail={company} canManage /> }])
  renderWith(emptyCache(), <RouterProvider router={router} />)
  fireEvent.click(screen.getByRole('button', { name: 'Adicionar Usuário' }))
  await screen.findByRole('dialog')
  expect(window.location.search).toBe('?companyId=c1&add=1')
  fireEvent.click(screen.getByRole('button', { name: 'Cancelar' }))
  await waitFor(() => expect(window.location.search).toBe('?companyId=c1'))
})

test('the dialog that adds a person does not come back with the right to add one', async () => {
  window.history.replaceState(null, '', '/company/manage?add=1')
  const company = { id: 'c1', userRole: 'admin', users: [], invites: [], maxUsers: 5 } as unknown as CompanyDetail
  function Managed() {
    const [may, setMay] = useState(true)
    return (
      <>
        <button onClick={() => setMay(!may)}>Outro direito</button>
        <Members company={company} detail={company} canManage={may} />
      </>
    )
  }
  const router = createBrowserRouter([{ path: '*', element: <Managed /> }])
  renderWith(emptyCache(), <RouterProvider router={router} />)
  await screen.findByRole('dialog')
  fireEvent.click(screen.getByText('Outro direito'))
  await waitFor(() => expect(window.location.search).toBe(''))
  fireEvent.click(screen.getByText('Outro direito'))
  await screen.findByRole('button', { name: 'Adicionar Usuário' })
  expect(screen.queryByRole('dialog')).toBeNull()
})

function memberAt(at: number, userName: string) {
  return { id: `m${at}`, userId: `p${at}`, userName, userEmail: `p${at}@exemplo.com.br`, role: 'operator' } as Member
}

function Known({ canManage }: { canManage: boolean }) {
  const { data } = useQuery({ ...companyQuery('c1'), enabled: false })
  return data && <Members company={data} detail={data} canManage={canManage} />
}

/** The company with so many members, the last of them José, at the address. */
function showMembers(count: number, address: string, canManage = false) {
  window.history.replaceState(null, '', address)
  const users = Array.from({ length: count }, (_, at) => memberAt(at, at < count - 1 ? `Ana ${at + 1}` : 'José Araújo'))
  const company = { id: 'c1', userRole: 'operator', users, invites: [], maxUsers: 50 }
  const queries = emptyCache()
  queries.setQueryData(companyKeys.detail('c1'), company as unknown as CompanyDetail)
  const element = (
    <TooltipProvider>
      <Known canManage={canManage} />
    </TooltipProvider>
  )
  renderWith(queries, <RouterProvider router={createBrowserRouter([{ path: '*', element }])} />)
}

const names = () => screen.queryAllByRole('rowheader').map(({ textContent }) => textContent?.replace('Nome', ''))

test('a company of many shows twenty people at a time, and finds one by a part of the name', async () => {
  showMembers(41, '/company/manage')
  expect(names()).toEqual(Array.from({ length: 20 }, (_, at) => `Ana ${at + 1}`))
  fireEvent.click(screen.getByRole('button', { name: 'Próxima' }))
  await waitFor(() => expect(names().at(0)).toBe('Ana 21'))
  fireEvent.change(screen.getByRole('searchbox', { name: 'Buscar' }), { target: { value: 'ARAUJO' } })
  await waitFor(() => expect(names()).toEqual(['José Araújo']))
  expect(window.location.search).toBe('?search=ARAUJO')
  expect(screen.queryByRole('navigation', { name: 'Páginas' })).toBeNull()
})

test('a person is found by the address, and who is not found is a word', async () => {
  showMembers(41, '/company/manage?search=p7@')
  expect(names()).toEqual(['Ana 8'])
  fireEvent.change(screen.getByRole('searchbox', { name: 'Buscar' }), { target: { value: 'ninguém' } })
  await screen.findByText('Nenhum usuário encontrado')
  fireEvent.click(screen.getByRole('button', { name: 'Limpar filtros' }))
  await waitFor(() => expect(names()).toHaveLength(20))
})

test('a company of few is shown whole', () => {
  showMembers(20, '/company/manage')
  expect(names()).toHaveLength(20)
  expect(screen.queryByRole('searchbox')).toBeNull()
})

test('who was added is shown, whatever was searched for, and does not hold the page', async () => {
  vi.spyOn(api, 'POST').mockResolvedValue(answerOf({ user: memberAt(20, 'Zeca') }))
  showMembers(20, '/company/manage?search=araujo', true)
  fireEvent.click(screen.getByText('Adicionar Usuário'))
  fireEvent.change(await screen.findByLabelText('Email'), { target: { value: 'zeca@exemplo.com.br' } })
  fireEvent.click(screen.getByText('Adicionar'))
  await screen.findByText('Zeca')
  await waitFor(() => expect(window.location.search).toBe('?page=2'))
  fireEvent.click(screen.getByText('Anterior'))
  await waitFor(() => expect(window.location.search).toBe(''))
  expect(names().at(-1)).toBe('José Araújo')
})
