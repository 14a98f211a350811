// @vitest-environment happy-dom
import { fireEvent, render, screen } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, test, vi } from 'vitest'
import { paths } from '../lib/paths'
import { Menu, MenuItem } from '../ui/menu'
import { TooltipProvider } from '../ui/tooltip'
import { Keyboard } from './keyboard'

vi.mock('../auth/company', () => ({ useCompany: () => ({ company: undefined }) }))
vi.mock('./command-palette', () => ({ default: ({ typed }: { typed: string }) => <p>Campo: {typed}</p> }))

test('a shortcut leads to its page, but not from under an open menu', async () => {
  const page = (
    <TooltipProvider>
      <Keyboard />
      <Menu trigger={<button type="button">Minha conta</button>}>
        <MenuItem>Sair</MenuItem>
      </Menu>
    </TooltipProvider>
  )
  const router = createMemoryRouter([{ path: '*', element: page }])
  render(<RouterProvider router={router} />)
  const go = () => fireEvent.keyDown(document.body, { key: 'P', code: 'KeyP', altKey: true, shiftKey: true })

  fireEvent.keyDown(screen.getByRole('button', { name: 'Minha conta' }), { key: 'Enter' })
  const menu = await screen.findByRole('menu')
  go()
  expect(router.state.location.pathname).toBe('/')
  fireEvent.keyDown(menu, { key: 'Escape' })
  expect(screen.queryByRole('menu')).toBeNull()
  go()
  await vi.waitFor(() => expect(router.state.location.pathname).toBe(paths.plans))
})

test('what was typed before the palette came is gone with it, however it is closed', async () => {
  const router = createMemoryRouter([{ path: '*', element: <Keyboard /> }])
  render(<RouterProvider router={router} />, { wrapper: TooltipProvider })
  const toggle = () => fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
  toggle()
  fireEvent.keyDown(document.body, { key: 'p' })
  await screen.findByText('Campo: p')
  toggle()
  expect(screen.queryByText(/^Campo:/)).toBeNull()
  toggle()
  expect((await screen.findByText(/^Campo:/)).textContent).toBe('Campo: ')
})

test('a shortcut that is held opens once', async () => {
  const router = createMemoryRouter([{ path: '*', element: <Keyboard /> }])
  render(<RouterProvider router={router} />, { wrapper: TooltipProvider })
  const press = (repeat: boolean) => fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true, repeat })
  press(false)
  await screen.findByText(/^Campo:/)
  press(true)
  screen.getByText(/^Campo:/)
})
