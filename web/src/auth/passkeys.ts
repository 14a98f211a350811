// Passkeys of this browser. The WebAuthn library is loaded at the first use. The browser answers one question at a
// time: a new one ends the one before.
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser'
import { ApiError } from '../api/errors'

/** Its code may not arrive, which is no fault of the server. */
const library = () =>
  import('@simplewebauthn/browser').catch(() => {
    throw new ApiError('NETWORK_ERROR')
  })

/** An address of digits has no passkeys, whatever the browser can. */
export function hasPasskeys(host = location.hostname): boolean {
  const isName = !/^[\d.]+$/.test(host) && !host.includes(':')
  return isName && globalThis.isSecureContext && typeof globalThis.PublicKeyCredential === 'function'
}

/** Whether this page may use the passkeys of a domain. */
export function servesPasskeysOf(domain: string | undefined, host = location.hostname): boolean {
  return domain !== undefined && hasPasskeys(host) && (host === domain || host.endsWith(`.${domain}`))
}

export async function showPasskey(options: PublicKeyCredentialRequestOptionsJSON): Promise<AuthenticationResponseJSON> {
  const { startAuthentication } = await library()
  return startAuthentication({ optionsJSON: options }).catch(refuse)
}

/** Offers passkeys in the browser's list of accounts; settles when the person chooses one or the offer is ended. */
export async function offerPasskey(
  options: PublicKeyCredentialRequestOptionsJSON,
): Promise<AuthenticationResponseJSON> {
  const { startAuthentication } = await library()
  return startAuthentication({ optionsJSON: options, useBrowserAutofill: true })
}

export async function canOfferPasskeys(): Promise<boolean> {
  if (!hasPasskeys()) return false
  const { browserSupportsWebAuthnAutofill } = await library()
  return browserSupportsWebAuthnAutofill()
}

export async function makePasskey(options: PublicKeyCredentialCreationOptionsJSON): Promise<RegistrationResponseJSON> {
  const { startRegistration } = await library()
  return startRegistration({ optionsJSON: options }).catch(refuse)
}

/** Ends the question that the browser has not answered yet. */
export async function cancelPasskeys(): Promise<void> {
  const { WebAuthnAbortService } = await library()
  WebAuthnAbortService.cancelCeremony()
}

/** The browser does not tell why a passkey was not used. */
function refuse(error: unknown): never {
  const known = error instanceof Error && error.name === 'InvalidStateError'
  const sentence = known
    ? 'Esta chave de acesso já está na sua conta'
    : 'A chave de acesso não foi usada. Tente novamente'
  throw new ApiError('PASSKEY_NOT_USED', { status: 0, sentence })
}

/** The server's refusal of a passkey: no code was typed that could be wrong. */
export function aboutThePasskey(refusal: ApiError): ApiError {
  if (refusal.code !== 'INVALID_SECOND_FACTOR') return refusal
  return new ApiError(refusal.code, {
    status: refusal.status,
    sentence: 'A chave de acesso não foi aceita. Tente novamente',
  })
}
