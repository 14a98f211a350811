// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { createBrowserRouter, RouterProvider } from 'react-router'
import { expect, test, vi } from 'vitest'
import { askingCache, renderAt, renderWith } from '../../../test/render'
import { api } from '../../api/client'
import type { Company } from '../../api/companies'
import { ApiError } from '../../api/errors'
import { LeaveDialog } from './leave-company'

vi.mock('../../auth/company', () => ({
  useCompany: () => ({ giveUp: (_: string, command: () => Promise<unknown>) => command() }),
}))
vi.mock('../../auth/use-session', () => ({ useUser: () => ({ id: 'u1' }) }))

/** The last administrator of a company of that status tries to leave it. */
function leave(status: Company['status']) {
  vi.spyOn(api, 'DELETE').mockRejectedValue(new ApiError('LAST_ADMIN', { status: 409 }))
  const company = { id: 'c1', companyName: 'Ponto Norte', status } as Company
  renderAt('/company/manage', <LeaveDialog company={company} onClose={() => undefined} />)
  fireEvent.click(screen.getByRole('button', { name: 'Sair da empresa' }))
}

test('the last administrator of an open company is told to make another one', async () => {
  leave('active')
  await screen.findByText('Antes, dê o papel Administrador a outra pessoa.')
  expect(screen.queryByRole('link')).toBeNull()
})

test.each(['suspended', 'inactive'] as const)(
  'the last administrator of a company that is %s is led to the support',
  async (status) => {
    leave(status)
    const support = await screen.findByRole('link', { name: 'Fale com o suporte' })
    expect(support.getAttribute('href')).toBe('/#ajuda')
    expect(screen.queryByText(/^Antes, dê/)).toBeNull()
  },
)

test.each([
  ['/company/manage', 'Chegou'],
  ['/plans', 'Chegou'],
  ['/account', 'Minha Conta'],
])('who is on %s when the company is left reads there: %s', async (page, read) => {
  let arrive = (): void => undefined
  vi.spyOn(api, 'DELETE').mockReturnValue(
    new Promise(
      (resolve) => (arrive = () => resolve({ response: new Response(null, { status: 204 }) } as never)),
    ) as never,
  )
  history.replaceState(null, '', '/company/manage')
  const company = { id: 'c1', companyName: 'Ponto Norte', status: 'active' } as Company
  const router = createBrowserRouter([
    { path: '/company/manage', element: <LeaveDialog company={company} onClose={() => undefined} /> },
    { path: '/plans', element: <p>Planos</p> },
    { path: '/account', element: <p>Minha Conta</p> },
    { path: '/dashboard', element: <p>Chegou</p> },
  ])
  renderWith(askingCache(), <RouterProvider router={router} />)
  fireEvent.click(screen.getByRole('button', { name: 'Sair da empresa' }))
  await screen.findByText('Saindo...')
  await act(() => router.navigate(page))
  await act(async () => arrive())
  expect(await screen.findByText(read)).toBeTruthy()
})
