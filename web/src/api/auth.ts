// The calls of `/api/auth`, without those of the second factor (`second-factor.ts`).
import { queryOptions, type QueryClient } from '@tanstack/react-query'
import { api, sendWithoutRetries, unwrap, unwrapFile, type Schemas } from './client'
import { write } from './newest'

export type User = Schemas['UserView']
export type Tokens = Schemas['Tokens']

export function register(body: Schemas['RegisterRequest']) {
  return unwrap(api.POST('/api/auth/register', { body }))
}

export function verifyEmail(body: Schemas['VerifyRequest']) {
  return unwrap(api.POST('/api/auth/verify-email', { body }))
}

export function resendVerification(userEmail: string) {
  return unwrap(api.POST('/api/auth/resend-verification', { body: { userEmail } }))
}

export function login(body: Schemas['LoginRequest']) {
  return unwrap(api.POST('/api/auth/login', { body }))
}

export function refreshTokens(refreshToken: string) {
  return unwrap(api.POST('/api/auth/refresh', { body: { refreshToken } }))
}

export async function logout(refreshToken: string): Promise<void> {
  await unwrap(api.POST('/api/auth/logout', { body: { refreshToken } }))
}

export function forgotPassword(userEmail: string) {
  return unwrap(api.POST('/api/auth/forgot-password', { body: { userEmail } }))
}

export function resetPassword(body: Schemas['ResetRequest']) {
  return unwrap(api.POST('/api/auth/reset-password', { body }))
}

export const meKey = ['me'] as const

export function meQuery() {
  return queryOptions({
    queryKey: meKey,
    queryFn: ({ signal }) => unwrap(api.GET('/api/auth/me', { signal })).then(({ user }) => user),
  })
}

export function updateMe(body: Schemas['ProfileRequest']): Promise<User> {
  return unwrap(api.PUT('/api/auth/me', { body })).then(({ user }) => user)
}

/** This session goes on; the others have ended. Sent once: a repeat would find the old password wrong. */
export async function changePassword(body: Schemas['PasswordRequest']): Promise<void> {
  await unwrap(api.PUT('/api/auth/me/password', { body, fetch: sendWithoutRetries }))
}

/** Mails the new address a code; the answer does not tell whether the address has an account. */
export async function askEmailChange(body: Schemas['EmailChangeRequest']): Promise<void> {
  await unwrap(api.POST('/api/auth/me/email', { body }))
}

export function confirmEmailChange(verificationCode: string): Promise<User> {
  return unwrap(api.POST('/api/auth/me/email/confirm', { body: { verificationCode } })).then(({ user }) => user)
}

export type Undone = Schemas['Undone']

/** Uses the link "Não fui eu" of a mail. */
export function undo(token: string): Promise<Undone> {
  return unwrap(api.POST('/api/auth/undo', { body: { token } }))
}

/** Everything that is stored about the person, as the file that the server makes of it. */
export function exportMe(): Promise<Blob> {
  return unwrapFile(api.GET('/api/auth/me/export', { parseAs: 'blob' }))
}

/** Anonymises the account and ends every session of it. */
export async function deleteMe(password: string): Promise<void> {
  await unwrap(api.DELETE('/api/auth/me', { body: { password } }))
}

export type OpenSession = Schemas['SessionView']

export const sessionsKey = ['sessions'] as const

export function sessionsQuery() {
  return queryOptions({
    queryKey: sessionsKey,
    queryFn: ({ signal }) => unwrap(api.GET('/api/auth/sessions', { signal })).then(({ sessions }) => sessions),
  })
}

/** The other sessions have ended: the list says so without being read again. */
export function keepThisSession(queries: QueryClient): void {
  write<OpenSession[]>(queries, sessionsKey, (rows) => rows?.filter(({ current }) => current))
}

export async function endSession(id: string): Promise<void> {
  await unwrap(api.DELETE('/api/auth/sessions/{id}', { params: { path: { id } } }))
}

export async function endOtherSessions(): Promise<void> {
  await unwrap(api.POST('/api/auth/sessions/end-others'))
}

export function liveTicket() {
  return unwrap(api.POST('/api/auth/live-ticket'))
}
