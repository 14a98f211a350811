import { expect, it, vi } from 'vitest'
import { hasPasskeys, servesPasskeysOf, showPasskey } from './passkeys'

vi.mock('@simplewebauthn/browser', () => {
  throw new TypeError('Failed to fetch dynamically imported module')
})

it('an address of digits has no passkeys, a name has where the browser does', () => {
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('PublicKeyCredential', () => undefined)
  expect(['127.0.0.1', '[::1]', 'localhost', 'bipe.example'].map((host) => hasPasskeys(host))).toEqual([
    false,
    false,
    true,
    true,
  ])
  vi.stubGlobal('isSecureContext', false)
  expect(hasPasskeys('bipe.example')).toBe(false)
})

it('a page uses the passkeys of its own domain and of none that only ends alike', () => {
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('PublicKeyCredential', () => undefined)
  const serves = (host: string) => servesPasskeysOf('bipe.example', host)
  expect(['bipe.example', 'app.bipe.example', 'notbipe.example', 'example'].map(serves)).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(servesPasskeysOf(undefined, 'bipe.example')).toBe(false)
})

it('a library that does not arrive is a lost connection, and no error of the server', async () => {
  await expect(showPasskey({ challenge: 'c' })).rejects.toMatchObject({ code: 'NETWORK_ERROR' })
})
