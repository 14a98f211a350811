// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { askingCache, renderWith } from '../../../test/render'
import { register } from '../../api/auth'
import { api } from '../../api/client'
import { session } from '../../auth/use-session'
import { SignUpPage } from './sign-up'

vi.mock('../../api/auth')

const person: [label: RegExp, value: string][] = [
  [/^Nome Completo/, 'Maria Silva'],
  [/^Email/, 'maria@exemlo.com.br'],
  [/^CPF/, '529.982.247-25'],
  [/^Telefone/, '(11) 98765-4321'],
  [/^Data de Nascimento/, '1990-05-10'],
]
const passwords = [/^Senha/, /^Confirmar Senha/]

beforeEach(() => {
  vi.spyOn(api, 'GET').mockResolvedValue(answerOf({ minAge: 18 }))
  vi.mocked(register).mockResolvedValue({ registration: 'r1' } as Awaited<ReturnType<typeof register>>)
})
afterEach(() => {
  cleanup()
  session.expire()
  localStorage.clear()
})

const field = (label: RegExp) => screen.getByLabelText<HTMLInputElement>(label)
const type = (label: RegExp, value: string) => act(async () => fireEvent.change(field(label), { target: { value } }))

test('whoever mistyped the address corrects it alone, and nobody finds the sign-up of a person who is in', async () => {
  const router = createMemoryRouter(
    [
      { path: '/signup', element: <SignUpPage /> },
      { path: '*', element: null },
    ],
    { initialEntries: ['/signup'] },
  )
  renderWith(askingCache(), <RouterProvider router={router} />)
  for (const [label, value] of person) await type(label, value)
  for (const label of passwords) await type(label, 'Senha@2026')
  for (const box of screen.getAllByRole('checkbox')) await act(async () => fireEvent.click(box))
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Criar Conta' })))
  await screen.findByText('Cadastro Realizado!')
  const comeBack = async () => {
    await act(() => router.navigate('/verify-email'))
    await act(() => router.navigate('/signup'))
  }

  await comeBack()
  for (const [label, value] of person) expect(field(label).value).toBe(value)
  for (const label of passwords) expect(field(label).value).toBe('')
  for (const box of screen.getAllByRole<HTMLInputElement>('checkbox')) expect(box.checked).toBe(false)

  const corrected = 'maria@exemplo.com.br'
  await act(() => router.navigate('/signin'))
  await act(() => router.navigate(`/signup?${new URLSearchParams({ email: corrected })}`))
  expect(field(/^Email/).value).toBe(corrected)
  expect(field(/^CPF/).value).toBe('529.982.247-25')

  const user = { id: 'u1', userName: 'Maria', userEmail: 'maria@exemplo.com.br', userRole: 'user' as const }
  session.signIn(user, { accessToken: 'a', refreshToken: 'r', expiresIn: 900 })
  await comeBack()
  for (const [label] of person) expect(field(label).value).toBe('')
})
