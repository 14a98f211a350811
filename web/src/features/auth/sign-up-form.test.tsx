// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { focusManager, notifyManager, QueryClient } from '@tanstack/react-query'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { beforeEach, expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { askingCache, renderWith } from '../../../test/render'
import { api } from '../../api/client'
import { ApiError } from '../../api/errors'
import { ageOn, dayOf } from '../../lib/dates'
import { announce } from '../../ui/announcer'
import { SignUpFormFields } from './sign-up-form'
import InvitedSignUp from './sign-up-invite'

vi.mock('../../ui/announcer', { spy: true })

let answerConfig: (minAge: number) => void

// What the cache learns is on the screen when an `act` is over.
notifyManager.setScheduler(queueMicrotask)

beforeEach(() => {
  const config = new Promise((resolve) => {
    answerConfig = (minAge) => resolve(answerOf({ minAge }))
  })
  vi.spyOn(api, 'GET').mockReturnValue(config as never)
})

let router: ReturnType<typeof createMemoryRouter>
const email = 'maria@exemplo.com.br'
const next = '/plans?plan=p1&cycle=yearly'
const words: [label: RegExp, value: string][] = [
  [/^Nome Completo/, 'Maria Silva'],
  [/^Email/, email],
  [/^CPF/, '529.982.247-25'],
  [/^Telefone/, '(11) 98765-4321'],
  [/^Senha/, 'Senha@2026'],
  [/^Confirmar Senha/, 'Senha@2026'],
]

function show(onSubmit: (form: unknown) => Promise<void>) {
  const form = <SignUpFormFields given={{}} next={next} onSubmit={onSubmit} />
  router = createMemoryRouter([
    { path: '/', element: form },
    { path: '*', element: null },
  ])
  renderWith(new QueryClient(), <RouterProvider router={router} />)
}

async function fillIn(birthDate = '1990-05-10') {
  for (const [label, value] of words)
    await act(async () => fireEvent.change(screen.getByLabelText(label), { target: { value } }))
  await act(async () => fireEvent.change(birthField(), { target: { value: birthDate } }))
  for (const box of screen.getAllByRole('checkbox')) await act(async () => fireEvent.click(box))
}

const birthField = () => screen.getByLabelText<HTMLInputElement>(/^Data de Nascimento/)
const press = () => act(async () => fireEvent.click(screen.getByRole('button', { name: 'Criar Conta' })))
const leastAge = () => ageOn(birthField().max, dayOf(Date.now()))

test('an address that has an account leads to it with the plan that was chosen', async () => {
  const onSubmit = vi.fn().mockRejectedValue(new ApiError('EMAIL_EXISTS'))
  show(onSubmit)
  await fillIn()
  await press()
  expect(onSubmit).toHaveBeenCalledTimes(1)
  const address = screen.getByRole('textbox', { name: /^Email/, description: /^Este email já está cadastrado\. / })
  await waitFor(() => expect(document.activeElement).toBe(address))
  const query = new URLSearchParams({ email, next })
  expect(screen.getByRole('link', { name: 'Entrar' }).getAttribute('href')).toBe(`/signin?${query}`)
  expect(screen.getByRole('link', { name: 'recuperar a senha' }).getAttribute('href')).toBe(`/forgot-password?${query}`)
})

test('a password manager saves the address beside the password, which is what signs in', () => {
  show(vi.fn())
  const isFor = (label: RegExp) => screen.getByLabelText(label).getAttribute('autocomplete')
  expect([/^Nome Completo/, /^Email/, /^Senha/].map(isFor)).toEqual(['name', 'username', 'new-password'])
})

test('a CPF that has an account leads to the sign-in with the plan, or to help, and nobody is asked', async () => {
  show(vi.fn().mockRejectedValue(new ApiError('DOCUMENT_EXISTS')))
  await fillIn()
  await press()
  expect(screen.getByRole('link', { name: 'falar com o suporte' }).getAttribute('href')).toBe('/#ajuda')
  const signIn = screen.getByRole('link', { name: 'Entrar' })
  expect(signIn.getAttribute('href')).toBe(`/signin?${new URLSearchParams({ next })}`)
  await act(async () => fireEvent.click(signIn))
  expect(screen.queryByRole('alertdialog')).toBeNull()
  expect(router.state.location.pathname).toBe('/signin')
})

test('the least age is the one that the server says, and 18 until it has', async () => {
  const onSubmit = vi.fn().mockResolvedValue(undefined)
  const thisYear = Number(dayOf(Date.now()).slice(0, 4))
  show(onSubmit)
  expect(leastAge()).toBe(18)
  await fillIn(`${thisYear - 17}-01-01`)
  await press()
  expect(onSubmit).not.toHaveBeenCalled()
  expect(screen.getByText('Você deve ter pelo menos 18 anos')).toBeTruthy()

  answerConfig(16)
  await waitFor(() => expect(leastAge()).toBe(16))
  await press()
  expect(onSubmit).toHaveBeenCalledTimes(1)
})

test('a server that asks for more years than 18 is heard too', async () => {
  const onSubmit = vi.fn().mockResolvedValue(undefined)
  show(onSubmit)
  answerConfig(21)
  await waitFor(() => expect(leastAge()).toBe(21))
  await fillIn(`${Number(dayOf(Date.now()).slice(0, 4)) - 19}-01-01`)
  await press()
  expect(onSubmit).not.toHaveBeenCalled()
  expect(screen.getByText('Você deve ter pelo menos 21 anos')).toBeTruthy()
})

test('whoever leaves is asked what becomes of what was typed, and nobody is after it was sent', async () => {
  show(vi.fn().mockResolvedValue(undefined))
  await fillIn()
  await act(() => router.navigate('/signin'))
  screen.getByText('As alterações desta página serão perdidas.')
  fireEvent.click(screen.getByRole('button', { name: 'Continuar editando' }))
  await press()
  await act(() => router.navigate('/verify-email'))
  expect(screen.queryByRole('alertdialog')).toBeNull()
  expect(router.state.location.pathname).toBe('/verify-email')
})

test('an invite that ends while the form is filled in stops no sign-up', async () => {
  const invite = { companyName: 'Ponto Central', userEmail: email, role: 'operator' }
  const over = new ApiError('INVITE_INVALID', { status: 404 })
  vi.spyOn(api, 'POST').mockResolvedValueOnce(answerOf(invite)).mockRejectedValue(over)
  const onSubmit = vi.fn().mockRejectedValueOnce(over).mockResolvedValue(undefined)
  const page = <InvitedSignUp token="t1" next={next} onSubmit={onSubmit} />
  renderWith(askingCache(), <RouterProvider router={createMemoryRouter([{ path: '*', element: page }])} />)
  await screen.findByText('Convite para Ponto Central')
  await fillIn()
  await press()
  await screen.findByText('Você pode criar a conta e pedir um novo convite.')
  expect(screen.getByLabelText<HTMLInputElement>(/^Nome Completo/).value).toBe('Maria Silva')
  await press()
  expect(onSubmit.mock.calls.map(([, token]) => token)).toEqual(['t1', undefined])
})

test.each([
  ['INVITE_INVALID', 1],
  ['NETWORK_ERROR', 2],
])('what was typed beside an invite that failed by %s stays when the window is seen again', async (code, reads) => {
  const read = vi.spyOn(api, 'POST').mockRejectedValueOnce(new ApiError(code))
  read.mockReturnValue(new Promise(() => undefined) as never)
  const page = <InvitedSignUp token="t1" next={next} onSubmit={vi.fn()} />
  renderWith(askingCache(), <RouterProvider router={createMemoryRouter([{ path: '*', element: page }])} />)
  const name = await screen.findByLabelText<HTMLInputElement>(/^Nome Completo/)
  await act(async () => fireEvent.change(name, { target: { value: 'Maria Silva' } }))
  await act(async () => focusManager.setFocused(false))
  await act(async () => focusManager.setFocused(true))
  focusManager.setFocused(undefined)
  expect(read).toHaveBeenCalledTimes(reads)
  expect(screen.getByLabelText<HTMLInputElement>(/^Nome Completo/).value).toBe('Maria Silva')
})

test('Enter and the button lead to the first wrong field, and where the focus is there already its error is heard', async () => {
  show(vi.fn())
  const enter = (field: HTMLElement) => act(async () => fireEvent.submit(field))
  const name = screen.getByLabelText(/^Nome Completo/)
  const address = screen.getByLabelText(/^Email/)
  address.focus()
  await enter(address)
  await waitFor(() => expect(document.activeElement).toBe(name))
  fireEvent.change(name, { target: { value: 'Maria Silva' } })
  fireEvent.change(address, { target: { value: 'maria@' } })
  address.focus()
  await enter(address)
  await waitFor(() => expect(announce).toHaveBeenCalledExactlyOnceWith('Email inválido', address.id))
  const button = screen.getByRole('button', { name: 'Criar Conta' })
  expect(button.getAttribute('aria-disabled')).toBe('true')
  expect(document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent).toMatch(
    /^Falta preencher: CPF, .+\. Confira: Email$/,
  )
  button.focus()
  await press()
  await waitFor(() => expect(document.activeElement).toBe(address))
  expect(screen.getAllByText('Este campo é obrigatório')).not.toHaveLength(0)
})
