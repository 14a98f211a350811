// @vitest-environment happy-dom
import { act, fireEvent, render, screen } from '@testing-library/react'
import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { beforeEach, expect, test, vi } from 'vitest'
import { pass } from '../../../test/pass'
import { passkeyOptions, passkeySignIn } from '../../api/second-factor'
import { ApiError } from '../../api/errors'
import { canOfferPasskeys, cancelPasskeys, offerPasskey, showPasskey } from '../../auth/passkeys'
import PasskeySignIn from './passkey-sign-in'

vi.mock('../../api/second-factor')
vi.mock('../../auth/passkeys')

const credential = { id: 'key' } as AuthenticationResponseJSON
const answer = { user: { userName: 'Maria' }, tokens: {} } as Awaited<ReturnType<typeof passkeySignIn>>
const signedIn = vi.fn()

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((done) => (resolve = done))
  return { promise, resolve }
}

const press = () => act(async () => fireEvent.click(screen.getByRole('button')))

beforeEach(() => {
  vi.mocked(canOfferPasskeys).mockResolvedValue(true)
  vi.mocked(cancelPasskeys).mockResolvedValue()
  vi.mocked(passkeySignIn).mockResolvedValue(answer)
  // The list of the browser waits until somebody chooses.
  vi.mocked(offerPasskey).mockReturnValue(new Promise(() => undefined))
})

test('a question for the list that comes late does not end the one of the button', async () => {
  const late = deferred<PublicKeyCredentialRequestOptionsJSON>()
  vi.mocked(passkeyOptions).mockReturnValueOnce(late.promise).mockResolvedValueOnce({ challenge: 'button' })
  const shown = deferred<AuthenticationResponseJSON>()
  vi.mocked(showPasskey).mockReturnValue(shown.promise)
  await act(async () => render(<PasskeySignIn onSignedIn={signedIn} />))
  await press()
  await act(async () => late.resolve({ challenge: 'list' }))
  expect(offerPasskey).not.toHaveBeenCalled()
  await act(async () => shown.resolve(credential))
  expect(signedIn).toHaveBeenCalledTimes(1)
})

test('the waiting question is ended before the one of the button is asked', async () => {
  const options = deferred<PublicKeyCredentialRequestOptionsJSON>()
  vi.mocked(passkeyOptions).mockResolvedValueOnce({ challenge: 'list' }).mockReturnValueOnce(options.promise)
  vi.mocked(showPasskey).mockReturnValue(new Promise(() => undefined))
  await act(async () => render(<PasskeySignIn onSignedIn={signedIn} />))
  expect(offerPasskey).toHaveBeenCalledTimes(1)
  await press()
  await act(async () => options.resolve({ challenge: 'button' }))
  const [ended, asked] = [cancelPasskeys, showPasskey].map((call) => vi.mocked(call).mock.invocationCallOrder[0] ?? 0)
  expect(ended).toBeLessThan(asked ?? 0)
})

test('a passkey of the list signs in once, and the button waits meanwhile', async () => {
  vi.mocked(passkeyOptions).mockResolvedValue({ challenge: 'any' })
  const chosen = deferred<AuthenticationResponseJSON>()
  vi.mocked(offerPasskey).mockReturnValue(chosen.promise)
  const entering = deferred<typeof answer>()
  vi.mocked(passkeySignIn).mockReturnValue(entering.promise)
  await act(async () => render(<PasskeySignIn onSignedIn={signedIn} />))
  await act(async () => chosen.resolve(credential))
  expect(screen.getByRole('button').textContent).toContain('Entrando...')
  await act(async () => entering.resolve(answer))
  expect(signedIn).toHaveBeenCalledTimes(1)
})

test('after a failure the list is offered again', async () => {
  vi.mocked(passkeyOptions).mockResolvedValue({ challenge: 'any' })
  vi.mocked(showPasskey).mockRejectedValue(
    new ApiError('PASSKEY_NOT_USED', { sentence: 'A chave de acesso não foi usada. Tente novamente' }),
  )
  await act(async () => render(<PasskeySignIn onSignedIn={signedIn} />))
  await press()
  expect(screen.getByText('A chave de acesso não foi usada. Tente novamente')).toBeTruthy()
  expect(offerPasskey).toHaveBeenCalledTimes(2)
})

test('the list is offered anew before its question is too old, in a hidden tab once it is seen again', async () => {
  vi.useFakeTimers()
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('visible')
  vi.mocked(passkeyOptions).mockResolvedValue({ challenge: 'any' })
  render(<PasskeySignIn onSignedIn={signedIn} />)
  await pass(0)
  await pass(240_000)
  await pass(0)
  expect(offerPasskey).toHaveBeenCalledTimes(2)
  visibility.mockReturnValue('hidden')
  await pass(3_600_000)
  expect(offerPasskey).toHaveBeenCalledTimes(2)
  visibility.mockReturnValue('visible')
  await act(async () => document.dispatchEvent(new Event('visibilitychange')))
  await pass(0)
  expect(offerPasskey).toHaveBeenCalledTimes(3)
})
