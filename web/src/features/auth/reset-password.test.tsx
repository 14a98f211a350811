// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { MemoryRouter, Route, Routes, useLocation } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { forgotPassword, logout, refreshTokens, resetPassword } from '../../api/auth'
import { ApiError } from '../../api/errors'
import { session } from '../../auth/use-session'
import { Announcer } from '../../ui/announcer'
import { ResetPasswordPage } from './reset-password'

vi.mock('../../api/auth')

afterEach(() => {
  cleanup()
  sessionStorage.clear()
})

const given = '?email=maria@exemplo.com.br'
const maria = { id: 'u1', userName: 'Maria', userEmail: 'maria@exemplo.com.br', userRole: 'user' as const }

function Arrived() {
  const { pathname, search } = useLocation()
  return <p>Chegou em {pathname + search}</p>
}

function show(query: string) {
  render(
    <MemoryRouter initialEntries={[`/reset-password${query}`]}>
      <Routes>
        <Route path="/reset-password" element={<ResetPasswordPage />} />
        <Route path="*" element={<Arrived />} />
      </Routes>
    </MemoryRouter>,
  )
}

const codeField = () => screen.getByLabelText<HTMLInputElement>(/^Código/)
const type = (label: RegExp, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
const send = () => fireEvent.click(screen.getByRole('button', { name: 'Redefinir Senha' }))

// The first one here: what is announced after something else waits for five seconds.
test('a link that is over is heard as well as seen, with the way to another', async () => {
  vi.mocked(resetPassword).mockRejectedValue(new ApiError('INVALID_RESET_TOKEN', { status: 400 }))
  render(<Announcer />)
  show('#email=bia%40exemplo.com.br&token=t0k')
  await screen.findByLabelText(/^Nova Senha/)
  type(/^Nova Senha/, 'Bipe#2026x')
  type(/^Confirmar Nova Senha/, 'Bipe#2026x')
  send()
  const other = await screen.findByRole('link', { name: 'Pedir outro' })
  expect(other.getAttribute('href')).toBe('/forgot-password?email=bia%40exemplo.com.br')
  const isHeard = () => expect(screen.getByRole('status').textContent).toContain('Este link expirou ou já foi usado.')
  await waitFor(isHeard)
})

test('a password manager saves the new password with the address, not with the code', () => {
  show(given)
  const isFor = (label: RegExp) => screen.getByLabelText(label).getAttribute('autocomplete')
  expect([/^Email/, /^Código/, /^Nova Senha/].map(isFor)).toEqual(['username', 'one-time-code', 'new-password'])
})

test.each([
  [given, true],
  ['', false],
])('with the query "%s" the code has the focus: %s', (query, has) => {
  show(query)
  expect(document.activeElement === codeField()).toBe(has)
})

test('a given address is not edited but left for another one', () => {
  show(`${given}&next=%2Fplans`)
  const other = screen.getByRole('link', { name: 'Usar outro email' })
  expect(other.getAttribute('href')).toBe('/forgot-password?next=%2Fplans')
  cleanup()
  show('')
  expect(screen.queryByRole('link', { name: 'Usar outro email' })).toBeNull()
})

function fillIn() {
  type(/^Código/, '111111')
  type(/^Nova Senha/, 'Bipe#2026x')
  type(/^Confirmar Nova Senha/, 'Bipe#2026x')
}

test('after a lost answer a refused code does not say that nothing happened', async () => {
  vi.mocked(resetPassword)
    .mockRejectedValueOnce(new ApiError('NETWORK_ERROR'))
    .mockRejectedValue(new ApiError('INVALID_RESET_TOKEN'))
  show(given)
  fillIn()
  send()
  await screen.findByText('Erro de conexão. Verifique sua internet')
  expect(codeField().value).toBe('111111')
  send()
  await screen.findByText('A senha pode já ter sido trocada. Tente entrar com a nova.')
  expect(screen.getByRole('link', { name: 'Entrar' }).getAttribute('href')).toBe('/signin?email=maria%40exemplo.com.br')
  expect(codeField().value).toBe('')
})

test('a refused code makes room for the next one', async () => {
  vi.mocked(resetPassword).mockRejectedValue(new ApiError('INVALID_RESET_TOKEN'))
  show(given)
  fillIn()
  send()
  await screen.findByText('Código OTP inválido ou expirado')
  expect(codeField().value).toBe('')
})

test('letters of a pasted code are told until the next digit is typed', () => {
  show(given)
  fireEvent.paste(codeField(), { clipboardData: { getData: () => '12a' } })
  expect(codeField().value).toBe('12')
  screen.getByText('Código deve conter apenas números')
  type(/^Código/, '123')
  expect(screen.queryByText('Código deve conter apenas números')).toBeNull()
})

test('another code finds its boxes empty', async () => {
  show(given)
  type(/^Código/, '111111')
  fireEvent.click(screen.getByRole('button', { name: 'Reenviar código' }))
  await screen.findByText('Código enviado com sucesso!')
  expect(codeField().value).toBe('')
})

test('another code goes to the address without the marks of a copied text', async () => {
  const ask = vi.mocked(forgotPassword)
  show('')
  type(/^Email/, '\u202amaria@exemplo.com.br\u202c')
  fireEvent.click(screen.getByRole('button', { name: 'Reenviar código' }))
  await screen.findByText('Código enviado com sucesso!')
  expect(ask).toHaveBeenCalledExactlyOnceWith('maria@exemplo.com.br')
})

test('who was signed in to the account is not told that the session expired', async () => {
  vi.mocked(resetPassword).mockResolvedValue(undefined as never)
  vi.mocked(refreshTokens).mockRejectedValue(new ApiError('INVALID_REFRESH_TOKEN', { status: 401 }))
  session.signIn(maria, { accessToken: 'a', refreshToken: 'r', expiresIn: 900 })
  show(given)
  fillIn()
  send()
  await screen.findByText('Todas as sessões foram encerradas.')
  expect(session.state.get()).toEqual({ status: 'anonymous', reason: 'none' })
})

test.each(['?email=bia@exemplo.com.br', '#email=bia%40exemplo.com.br&token=t0k'])(
  'who is signed in to another account than that of "%s" is told so, and led to its sign-in',
  async (where) => {
    vi.mocked(resetPassword).mockResolvedValue(undefined as never)
    vi.mocked(refreshTokens).mockRejectedValue(new ApiError('NETWORK_ERROR'))
    vi.mocked(logout).mockResolvedValue(undefined)
    session.signIn(maria, { accessToken: 'a', refreshToken: 'r', expiresIn: 900 })
    show(where)
    expect((await screen.findByRole('status')).textContent).toBe(
      'Esta página é da conta bia@exemplo.com.br, e você entrou como maria@exemplo.com.br.',
    )
    if (where.startsWith('?')) type(/^Código/, '111111')
    type(/^Nova Senha/, 'Bipe#2026x')
    type(/^Confirmar Nova Senha/, 'Bipe#2026x')
    send()
    await screen.findByText(/^Todas as sessões da conta bia@exemplo\.com\.br .+ entrou como maria@exemplo\.com\.br\.$/)
    fireEvent.click(screen.getByRole('link', { name: 'Sair e entrar com esta conta' }))
    await screen.findByText('Chegou em /signin?email=bia%40exemplo.com.br')
    expect(session.state.get().status).toBe('anonymous')
  },
)

test('the password that a link sets is kept under its address', async () => {
  show('#email=bia%40exemplo.com.br&token=t0k')
  await screen.findByLabelText(/^Nova Senha/)
  expect(document.querySelector<HTMLInputElement>('form [autocomplete=username]')?.value).toBe('bia@exemplo.com.br')
})

test('who came by the link of an older build, which says no address, is told what ended all the same', async () => {
  vi.mocked(resetPassword).mockResolvedValue(undefined as never)
  vi.mocked(refreshTokens).mockRejectedValue(new ApiError('NETWORK_ERROR'))
  session.signIn(maria, { accessToken: 'a', refreshToken: 'r', expiresIn: 900 })
  show('#token=t0k')
  await screen.findByText('Escolha uma nova senha para a sua conta.')
  type(/^Nova Senha/, 'Bipe#2026x')
  type(/^Confirmar Nova Senha/, 'Bipe#2026x')
  send()
  await screen.findByText(/^Todas as sessões da conta foram encerradas\. Neste navegador, você entrou como maria@/)
})
