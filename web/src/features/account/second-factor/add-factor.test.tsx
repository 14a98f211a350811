// @vitest-environment happy-dom
import { cleanup, fireEvent, renderHook, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { answerOf } from '../../../../test/answer'
import { askingCache, renderWith } from '../../../../test/render'
import { api } from '../../../api/client'
import { ApiError } from '../../../api/errors'
import { clearToasts, useToasts } from '../../../ui/toast'
import { Sessions } from '../sessions'
import { AddPasskeyDialog } from './add-passkey-dialog'
import { AddTotpDialog } from './add-totp-dialog'

vi.mock('../../../auth/passkeys', async (original) => ({
  ...(await original<object>()),
  makePasskey: () => Promise.resolve({}),
}))

const session = (id: string) => ({
  id,
  current: id === 'here',
  device: 'Chrome',
  createdAt: '2026-11-21T12:00:00Z',
  lastUsedAt: '2026-11-21T12:00:00Z',
})
let open: ReturnType<typeof session>[]
let recoveryCodes: string[] | undefined
/** Of the list of sessions. */
let reads: number
/** The answer to the confirmation waits for it. */
let held = Promise.resolve()
const closed = vi.fn()

const answer = (data: object) => Promise.resolve(answerOf(data))

beforeEach(() => {
  open = [session('here'), session('elsewhere')]
  reads = 0
  held = Promise.resolve()
  closed.mockReset()
  vi.spyOn(api, 'GET').mockImplementation((() => {
    reads += 1
    return answer({ sessions: open })
  }) as never)
  vi.spyOn(api, 'POST').mockImplementation(((path: string) => {
    if (path.endsWith('/totp')) return answer({ secret: 'ABCD', uri: 'otpauth://totp/Bipe' })
    if (path.endsWith('/options')) return answer({ options: {} })
    // As the server does with the first factor.
    if (recoveryCodes) open = [session('here')]
    return held.then(() => answer({ passkey: {}, recoveryCodes }))
  }) as never)
})
afterEach(() => {
  cleanup()
  clearToasts()
})

const ends = () => screen.queryAllByRole('button', { name: /^Encerrar Chrome/, hidden: true })
const text = 'Ao concluir, suas outras sessões são encerradas.'
const isFirstOf = () => recoveryCodes !== undefined

async function show(Dialog: typeof AddTotpDialog) {
  renderWith(
    askingCache(),
    <>
      <Sessions />
      <Dialog isFirst={isFirstOf()} onClose={closed} />
    </>,
  )
  await waitFor(() => expect(ends()).toHaveLength(1))
  expect(document.body.textContent.includes(text)).toBe(isFirstOf())
  if (isFirstOf()) fireEvent.change(screen.getByLabelText(/^Sua senha atual/), { target: { value: 'Bipe#2026' } })
}

const dialogs = {
  app: async () => {
    await show(AddTotpDialog)
    fireEvent.click(screen.getByRole('button', { name: 'Continuar' }))
    fireEvent.change(await screen.findByLabelText(/^2\. Código/), { target: { value: '123456' } })
  },
  passkey: async () => {
    await show(AddPasskeyDialog)
    fireEvent.click(screen.getByRole('button', { name: 'Adicionar chave de acesso' }))
  },
}

test.each(['app', 'passkey'] as const)(
  'the first factor, %s, says that other sessions end, and they go',
  async (kind) => {
    recoveryCodes = ['AAAA-BBBB']
    await dialogs[kind]()
    await screen.findByText('AAAA-BBBB')
    await waitFor(() => expect(ends()).toHaveLength(0))
    // Nothing but its button closes what is not shown again.
    fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' })
    expect(screen.queryByRole('button', { name: 'Fechar' })).toBeNull()
    expect(closed).not.toHaveBeenCalled()
    fireEvent.click(screen.getByRole('button', { name: 'Já guardei os códigos' }))
    expect(closed).toHaveBeenCalledOnce()
  },
)

test.each(['app', 'passkey'] as const)(
  'while the first factor, %s, is confirmed nothing closes its dialog',
  async (kind) => {
    recoveryCodes = ['AAAA-BBBB']
    let confirm = () => {}
    held = new Promise<void>((resolve) => (confirm = resolve))
    await dialogs[kind]()
    await screen.findByRole('button', { name: /\.\.\.$/ })
    fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' })
    expect(closed).not.toHaveBeenCalled()
    confirm()
    await screen.findByText('AAAA-BBBB')
  },
)

test.each(['app', 'passkey'] as const)('another factor, %s, leaves the sessions alone', async (kind) => {
  recoveryCodes = undefined
  await dialogs[kind]()
  await waitFor(() => expect(closed).toHaveBeenCalled())
  expect(reads).toBe(1)
  expect(ends()).toHaveLength(1)
})

test('the first code of an app stays in its boxes when no server judged it', async () => {
  recoveryCodes = undefined
  const lost = Promise.reject(new ApiError('NETWORK_ERROR'))
  // Nobody hears of it before the code is sent.
  lost.catch(() => undefined)
  held = lost
  await dialogs.app()
  await screen.findByText('Erro de conexão. Verifique sua internet')
  expect(screen.getByLabelText<HTMLInputElement>(/^2\. Código/).value).toBe('123456')
})

test('a code that is not whole is told after a refused one, which is not called so again', async () => {
  recoveryCodes = undefined
  held = Promise.reject(new ApiError('INVALID_SECOND_FACTOR'))
  held.catch(() => undefined)
  await dialogs.app()
  await screen.findByText('Código inválido, expirado ou já usado')
  const field = screen.getByLabelText(/^2\. Código/)
  fireEvent.change(field, { target: { value: '123' } })
  fireEvent.submit(field)
  screen.getByText('Código deve ter 6 dígitos')
  fireEvent.change(field, { target: { value: '1234' } })
  await waitFor(() => expect(screen.queryByText('Código inválido, expirado ou já usado')).toBeNull())
})

test('an app that was set up by a try whose answer was lost is not called refused', async () => {
  recoveryCodes = ['AAAA-BBBB']
  held = Promise.reject(new ApiError('NETWORK_ERROR'))
  held.catch(() => undefined)
  await dialogs.app()
  await screen.findByText('Erro de conexão. Verifique sua internet')
  held = Promise.reject(new ApiError('INVALID_SECOND_FACTOR'))
  held.catch(() => undefined)
  const secondFactor = { enabled: true, totpEnabledAt: '2026-11-21T12:00:00Z', passkeys: [], recoveryCodesLeft: 10 }
  vi.mocked(api.GET).mockImplementation(((path: string) =>
    answer(path.endsWith('/second-factor') ? { secondFactor } : { sessions: open })) as never)
  fireEvent.click(screen.getByRole('button', { name: 'Ativar' }))
  await waitFor(() => expect(closed).toHaveBeenCalledOnce())
  const { result } = renderHook(useToasts)
  expect(result.current.toasts.map(({ text }) => text)).toContain(
    'Os códigos de recuperação não chegaram. Use Gerar novos códigos.',
  )
})

test('a passkey that was added by a try whose answer was lost is found, and not asked for again', async () => {
  recoveryCodes = ['AAAA-BBBB']
  held = Promise.reject(new ApiError('NETWORK_ERROR'))
  held.catch(() => undefined)
  let passkeys: object[] = []
  vi.mocked(api.GET).mockImplementation(((path: string) =>
    answer(path.endsWith('/second-factor') ? { secondFactor: { passkeys } } : { sessions: open })) as never)
  await dialogs.passkey()
  await screen.findByText('Erro de conexão. Verifique sua internet')
  const asked = vi.mocked(api.POST).mock.calls.length
  passkeys = [{ id: 'k1', name: screen.getByLabelText<HTMLInputElement>(/^Nome da chave/).value }]
  fireEvent.click(screen.getByRole('button', { name: 'Adicionar chave de acesso' }))
  await waitFor(() => expect(closed).toHaveBeenCalledOnce())
  expect(vi.mocked(api.POST).mock.calls).toHaveLength(asked)
  const { result } = renderHook(useToasts)
  expect(result.current.toasts.map(({ text }) => text)).toContain(
    'Os códigos de recuperação não chegaram. Use Gerar novos códigos.',
  )
})

test('a passkey that is refused is not called a code', async () => {
  recoveryCodes = undefined
  held = Promise.reject(new ApiError('INVALID_SECOND_FACTOR', { status: 400 }))
  held.catch(() => undefined)
  await dialogs.passkey()
  await screen.findByText('A chave de acesso não foi aceita. Tente novamente')
})
