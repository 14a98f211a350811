// @vitest-environment happy-dom
import { fireEvent, render, screen } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, test, vi } from 'vitest'
import { paths } from '../lib/paths'
import CommandPalette from './command-palette'

const select = vi.hoisted(() => vi.fn())
const companies = [{ id: 'c1', companyName: 'Ponto Central', userRole: 'admin', status: 'active' }]
vi.mock('../auth/company', () => ({ useCompany: () => ({ companies, company: undefined, select }) }))
vi.mock('../auth/use-session', () => ({ session: {}, useUser: () => ({ id: 'root', userRole: 'admin' }) }))

test.each([
  [paths.adminUsers, paths.dashboard],
  [paths.plans, paths.plans],
])('a company that is chosen at %s is shown at %s', (at, shownAt) => {
  const page = <CommandPalette typed="trocar ponto" onClose={() => undefined} onHelp={() => undefined} />
  const router = createMemoryRouter([{ path: '*', element: page }], { initialEntries: [at] })
  render(<RouterProvider router={router} />)
  fireEvent.click(screen.getByRole('button', { name: /Ponto Central/ }))
  expect(select).toHaveBeenLastCalledWith(companies[0])
  expect(router.state.location.pathname).toBe(shownAt)
})
