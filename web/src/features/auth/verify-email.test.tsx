// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { MemoryRouter, Route, Routes, useLocation } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { logout, verifyEmail } from '../../api/auth'
import { ApiError } from '../../api/errors'
import { session } from '../../auth/use-session'
import { VerifyEmailPage } from './verify-email'

vi.mock('../../api/auth')

const email = 'maria@exemplo.com.br'
const plan = '/plans?plan=p1&cycle=yearly'
const user = { id: 'u1', userName: 'Maria', userEmail: email, userRole: 'user' }
type Verified = Awaited<ReturnType<typeof verifyEmail>>
const signedIn = { user, tokens: { accessToken: 'a', refreshToken: 'r', expiresIn: 900 } } as Verified
const verified = { user } as Verified

function Arrived() {
  const { pathname, search } = useLocation()
  return <p>Chegou em {pathname + search}</p>
}

/** The page as the mail's button opens it, in a tab of its own, with the code typed. */
async function typeCode(address = `/verify-email?email=${email}`) {
  render(
    <MemoryRouter initialEntries={[address]}>
      <Routes>
        <Route path="/verify-email" element={<VerifyEmailPage />} />
        <Route path="*" element={<Arrived />} />
      </Routes>
    </MemoryRouter>,
  )
  await retype('123456')
}

async function retype(value: string) {
  const field = screen.getByLabelText(/Código de verificação/)
  await act(async () => fireEvent.change(field, { target: { value } }))
  await act(() => vi.advanceTimersByTimeAsync(2_000))
}

const signInLink = () => screen.getByRole('link', { name: 'Fazer login' }).getAttribute('href')
const signInTo = (next: string) => `/signin?${new URLSearchParams({ email, next })}`

beforeEach(() => {
  vi.useFakeTimers()
  localStorage.clear()
  sessionStorage.clear()
  session.keepRegistration(email, { registration: 'secret', next: plan })
})
afterEach(() => {
  cleanup()
  session.expire()
})

test('the button of the mail leads on to the plan that was chosen before the sign-up', async () => {
  vi.mocked(verifyEmail).mockResolvedValue(signedIn)
  await typeCode()
  expect(vi.mocked(verifyEmail).mock.calls[0]?.[0]).toMatchObject({ registration: 'secret' })
  expect(screen.getByText(`Chegou em ${plan}`)).toBeTruthy()
})

test('what the address says goes before what was kept', async () => {
  vi.mocked(verifyEmail).mockResolvedValue(signedIn)
  await typeCode(`/verify-email?email=${email}&next=%2Faccount`)
  expect(screen.getByText('Chegou em /account')).toBeTruthy()
})

test.each(['https://mau.example', '//mau.example', '/\\mau.example', '/\t/mau.example'])(
  'never leads to %s',
  async (next) => {
    session.keepRegistration(email, { registration: 'secret', next })
    vi.mocked(verifyEmail).mockResolvedValue(signedIn)
    await typeCode()
    expect(screen.getByText('Chegou em /dashboard')).toBeTruthy()
  },
)

test('a given address is not edited but left for another sign-up, with the plan', async () => {
  vi.mocked(verifyEmail).mockRejectedValue(new ApiError('INVALID_VERIFICATION_CODE'))
  await typeCode()
  const other = screen.getByRole('link', { name: 'Usar outro email' })
  expect(other.getAttribute('href')).toBe(`/signup?${new URLSearchParams({ next: plan })}`)
  cleanup()
  await typeCode('/verify-email')
  expect(screen.queryByRole('link', { name: 'Usar outro email' })).toBeNull()
})

test('another sign-up of this browser says nothing about this address', async () => {
  session.keepRegistration('bia@exemplo.com.br', { registration: 'secret', next: plan })
  vi.mocked(verifyEmail).mockResolvedValue(signedIn)
  await typeCode()
  expect(screen.getByText('Chegou em /dashboard')).toBeTruthy()
})

test('who has to sign in takes the plan along', async () => {
  vi.mocked(verifyEmail).mockResolvedValue(verified)
  await typeCode()
  expect(signInLink()).toBe(signInTo(plan))
})

test('who is signed in to another account is told so, and led to the sign-in of this one', async () => {
  const bia = { id: 'u2', userName: 'Bia', userEmail: 'bia@exemplo.com.br', userRole: 'user' as const }
  session.signIn(bia, { accessToken: 'a', refreshToken: 'r', expiresIn: 900 })
  vi.mocked(logout).mockResolvedValue(undefined)
  vi.mocked(verifyEmail).mockResolvedValue(verified)
  await typeCode()
  screen.getByText(`A conta ${email} está ativa. Neste navegador, você entrou como bia@exemplo.com.br.`)
  await act(async () => fireEvent.click(screen.getByRole('link', { name: 'Sair e entrar com esta conta' })))
  expect(screen.getByText(`Chegou em /signin?${new URLSearchParams({ email })}`)).toBeTruthy()
  expect(session.state.get().status).toBe('anonymous')
})

test('a deactivated account is not called active', async () => {
  vi.mocked(verifyEmail).mockResolvedValue({ user: { ...user, status: 'inactive' } } as Verified)
  await typeCode()
  expect(screen.getByText('Conta desativada. Entre em contato com o suporte')).toBeTruthy()
  expect(screen.queryByRole('link')).toBeNull()
})

test('who is verified already takes the plan along', async () => {
  vi.mocked(verifyEmail).mockRejectedValue(new ApiError('EMAIL_ALREADY_VERIFIED'))
  await typeCode()
  expect(signInLink()).toBe(signInTo(plan))
})

test('six digits are not sent by themselves while the server asks for patience', async () => {
  const verify = vi.mocked(verifyEmail).mockRejectedValue(new ApiError('RATE_LIMITED', { status: 429, retryAfter: 30 }))
  await typeCode()
  expect(verify).toHaveBeenCalledOnce()
  await retype('654321')
  expect(verify).toHaveBeenCalledOnce()
  await act(() => vi.advanceTimersByTimeAsync(30_000))
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Verificar' })))
  expect(verify).toHaveBeenCalledTimes(2)
})

test('another code finds its boxes empty, also where nobody has judged the first one', async () => {
  vi.mocked(verifyEmail).mockRejectedValue(new ApiError('NETWORK_ERROR'))
  await typeCode()
  expect(screen.getByLabelText<HTMLInputElement>(/Código de verificação/).value).toBe('123456')
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Reenviar código' })))
  expect(screen.getByLabelText<HTMLInputElement>(/Código de verificação/).value).toBe('')
})

test('the sign-up is shown until the code of a resend is refused too, and stays for another one', async () => {
  const verify = vi.mocked(verifyEmail).mockRejectedValue(new ApiError('INVALID_VERIFICATION_CODE'))
  await typeCode()
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Reenviar código' })))
  await retype('111111')
  await retype('222222')
  expect(verify.mock.calls.map(([body]) => body.registration)).toEqual(['secret', 'secret', undefined])
  expect(session.registrationOf()?.registration).toBe('secret')
})
