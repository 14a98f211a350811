// The calls of the second factor: the second step of a sign-in, passkeys, showing it again, and what the person has.
import { queryOptions } from '@tanstack/react-query'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser'
import { api, unwrap, type Schemas } from './client'
import { secondFactorKey } from './second-factor-key'

export type SecondFactor = Schemas['SecondFactor']
export type Passkey = Schemas['PasskeyView']
export type FactorMethod = Schemas['FactorMethod']
export type AskedFactor = Schemas['AskedFactor']

/** What a person shows; WebAuthn's own types are wider than the schema's objects. */
export type Proof = { code: string } | { recoveryCode: string } | { credential: AuthenticationResponseJSON }

type ProofBody = { code?: string; recoveryCode?: string; credential?: Record<string, never> }

function proofBody(proof: Proof): ProofBody {
  return proof as unknown as ProofBody
}

export function finishSignIn(challenge: string, proof: Proof) {
  return unwrap(api.POST('/api/auth/second-factor', { body: { challenge, ...proofBody(proof) } }))
}

/** WebAuthn's options are an object without further names in the schema. */
export function requestOptions(options: unknown): PublicKeyCredentialRequestOptionsJSON {
  return options as PublicKeyCredentialRequestOptionsJSON
}

export async function passkeyOptions(): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return requestOptions((await unwrap(api.POST('/api/auth/passkey/options'))).options)
}

export function passkeySignIn(credential: AuthenticationResponseJSON) {
  return unwrap(api.POST('/api/auth/passkey', { body: { credential: proofBody({ credential }).credential ?? {} } }))
}

export async function stepUpOptions(): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return requestOptions((await unwrap(api.POST('/api/auth/step-up/options'))).options)
}

export async function stepUp(proof: Proof): Promise<void> {
  await unwrap(api.POST('/api/auth/step-up', { body: proofBody(proof) }))
}

export function secondFactorQuery() {
  return queryOptions({
    queryKey: secondFactorKey,
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/auth/second-factor', { signal })).then(({ secondFactor }) => secondFactor),
  })
}

/** `password` of who has no factor yet. */
export function offerTotp(password: string | undefined) {
  return unwrap(api.POST('/api/auth/second-factor/totp', { body: { password } }))
}

export function confirmTotp(code: string) {
  return unwrap(api.POST('/api/auth/second-factor/totp/confirm', { body: { code } }))
}

export async function removeTotp(): Promise<void> {
  await unwrap(api.DELETE('/api/auth/second-factor/totp'))
}

export async function creationOptions(password: string | undefined): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { options } = await unwrap(api.POST('/api/auth/second-factor/passkeys/options', { body: { password } }))
  return options as unknown as PublicKeyCredentialCreationOptionsJSON
}

export function addPasskey(name: string, credential: RegistrationResponseJSON) {
  return unwrap(
    api.POST('/api/auth/second-factor/passkeys', {
      body: { name, credential: credential as unknown as Record<string, never> },
    }),
  )
}

export async function removePasskey(id: string): Promise<void> {
  await unwrap(api.DELETE('/api/auth/second-factor/passkeys/{id}', { params: { path: { id } } }))
}

export function replaceRecoveryCodes(): Promise<string[]> {
  return unwrap(api.POST('/api/auth/second-factor/recovery-codes')).then(({ recoveryCodes }) => recoveryCodes)
}
