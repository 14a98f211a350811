// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { createMemoryRouter, Link, Outlet, RouterProvider } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { askingCache, renderWith } from '../../test/render'
import { session } from '../auth/use-session'
import { paths } from '../lib/paths'
import { Crash } from './crash'
import { routes } from './router'

function Broken(): never {
  throw new Error('broken screen')
}

vi.mock('./app-layout', () => ({
  AppLayout: () => (
    <>
      <Link to={paths.account}>Conta</Link>
      <Outlet />
    </>
  ),
}))
vi.mock('../features/dashboard/dashboard', () => ({ DashboardPage: Broken }))
vi.mock('../features/account/account', () => ({ AccountPage: () => 'Minha conta' }))

afterEach(() => {
  cleanup()
  session.expire()
  localStorage.clear()
})

test('a screen that threw says so, with the focus on the title and the error among the details', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const routes = [{ path: '/', Component: Broken, ErrorBoundary: Crash }]
  render(<RouterProvider router={createMemoryRouter(routes)} />)
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Algo deu errado'))
  screen.getByText('broken screen')
})

test('the shell stays around a screen that threw, and leads on to another one', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const ana = { id: 'u1', userName: 'Ana', userEmail: 'ana@exemplo.com.br', userRole: 'user' as const }
  act(() => session.signIn(ana, { accessToken: 'access', refreshToken: 'refresh', expiresIn: 900 }))
  const router = createMemoryRouter(routes, { initialEntries: [paths.dashboard] })
  renderWith(askingCache(), <RouterProvider router={router} />)
  await screen.findByRole('heading', { name: 'Algo deu errado' })
  fireEvent.click(screen.getByRole('link', { name: 'Conta' }))
  await screen.findByText('Minha conta')
  expect(screen.queryByText('Algo deu errado')).toBeNull()
})
