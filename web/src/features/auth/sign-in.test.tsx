// @vitest-environment happy-dom
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { createMemoryRouter, MemoryRouter, RouterProvider } from 'react-router'
import { expect, test, vi } from 'vitest'
import { renderAt } from '../../../test/render'
import { login } from '../../api/auth'
import { SignInPage } from './sign-in'

vi.mock('../../api/auth')
vi.mock('../../auth/passkeys', async (original) => ({ ...(await original<object>()), hasPasskeys: () => true }))
/** Code that does not arrive. */
vi.mock('./passkey-sign-in', () => new Promise(() => {}))

test('the focus goes with the person to the second step, and back from it', async () => {
  const secondFactor = { challenge: 'c', methods: ['totp', 'recovery'], passkeyOptions: null }
  vi.mocked(login).mockResolvedValue({ secondFactor } as never)
  render(<SignInPage />, { wrapper: MemoryRouter })
  fireEvent.change(screen.getByLabelText(/^Email/), { target: { value: 'maria@exemplo.com.br' } })
  fireEvent.change(screen.getByLabelText(/^Senha/), { target: { value: 'Bipe#2026' } })
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Entrar' })))
  const isAt = (title: string) => waitFor(() => expect(document.activeElement?.textContent).toBe(title))
  await isAt('Verificação em duas etapas')
  const back = screen.getByRole('button', { name: 'Voltar' })
  back.focus()
  await act(async () => fireEvent.click(back))
  await isAt('Entrar')
})

test('the button of the passkeys has its place before its code is there', () => {
  render(<SignInPage />, { wrapper: MemoryRouter })
  const link = screen.getByText('Ainda não tem conta?', { exact: false })
  expect(link.previousElementSibling?.className).toBe('h-control')
})

test('who has no account takes the address that was typed, and the way on, to the sign-up', () => {
  renderAt('/signin?next=%2Fplans', <SignInPage />)
  const link = screen.getByRole('link', { name: 'Criar Conta' })
  expect(link.getAttribute('href')).toBe('/signup?next=%2Fplans')
  fireEvent.change(screen.getByLabelText(/^Email/), { target: { value: 'maria@exemplo.com.br' } })
  expect(link.getAttribute('href')).toBe('/signup?email=maria%40exemplo.com.br&next=%2Fplans')
})

test('"back" leads away from the page also after the dialog of a forgotten password was closed', async () => {
  const routes = [
    { path: '/', element: 'Início' },
    { path: '*', element: <SignInPage /> },
  ]
  const router = createMemoryRouter(routes, { initialEntries: ['/', '/signin?next=%2Fplans'] })
  render(<RouterProvider router={router} />)
  fireEvent.click(screen.getByRole('button', { name: 'Esqueci minha senha' }))
  const close = within(await screen.findByRole('dialog')).getByRole('button', { name: 'Fechar' })
  // Pressed twice before the page has followed.
  act(() => {
    close.click()
    close.click()
  })
  await waitFor(() => expect(router.state.location.pathname).toBe('/signin'))
  expect(router.state.location.search).toBe('?next=%2Fplans')
  await act(() => router.navigate(-1))
  expect(router.state.location.pathname).toBe('/')
})
