// @vitest-environment happy-dom
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'
import { login, resendVerification } from '../../api/auth'
import { ApiError } from '../../api/errors'
import { SignInForm } from './sign-in-form'

vi.mock('../../api/auth')

const ignored = () => {}
const onForgotten = vi.fn()

async function signIn(refusal: ApiError) {
  vi.mocked(login).mockRejectedValue(refusal)
  const events = { onAddress: ignored, onForgotten, onSignedIn: ignored, onSecondFactor: ignored }
  render(<SignInForm address="maria@exemplo.com.br" next={null} {...events} />, { wrapper: MemoryRouter })
  fireEvent.change(screen.getByLabelText(/^Senha/), { target: { value: 'Bipe#2026' } })
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Entrar' })))
}

async function refuse(retryAfter: number) {
  await signIn(new ApiError('RATE_LIMITED', { status: 429, retryAfter }))
  await screen.findByText(/Muitas tentativas/)
}

test('a lock that time does not open leads to a new password', async () => {
  await refuse(3_600)
  fireEvent.click(screen.getByRole('button', { name: 'Redefinir a senha' }))
  expect(onForgotten).toHaveBeenCalledOnce()
})

test('a wait of minutes leads nowhere', async () => {
  await refuse(900)
  expect(screen.queryByRole('button', { name: 'Redefinir a senha' })).toBeNull()
})

test('another person of the same computer need not wait', async () => {
  await refuse(900)
  const enter = screen.getByRole<HTMLButtonElement>('button', { name: 'Entrar' })
  expect(enter.disabled).toBe(true)
  fireEvent.change(screen.getByLabelText(/^Email/), { target: { value: 'joao@exemplo.com.br' } })
  await waitFor(() => expect(enter.disabled).toBe(false))
  expect(screen.queryByText(/Muitas tentativas/)).toBeNull()
})

test('the way to the verification stays when its code could not be sent', async () => {
  await signIn(new ApiError('EMAIL_NOT_VERIFIED', { status: 403 }))
  const verify = await screen.findByRole('button', { name: 'Verificar agora' })
  verify.focus()
  vi.mocked(resendVerification).mockRejectedValueOnce(new ApiError('NETWORK_ERROR'))
  fireEvent.click(verify)
  await screen.findByText('Erro de conexão. Verifique sua internet')
  expect(document.activeElement).toBe(verify)
  vi.mocked(resendVerification).mockRejectedValueOnce(new ApiError('RATE_LIMITED', { status: 429, retryAfter: 30 }))
  fireEvent.click(verify)
  await screen.findByText('Muitas tentativas. Tente novamente em 30 s.')
  fireEvent.click(verify)
  expect(resendVerification).toHaveBeenCalledTimes(2)
})
