// The calls of `/api/auth`. Screens, the session and the live connection use these; nobody else writes these paths.
import { queryOptions } from '@tanstack/react-query'
import { api, open } from './client'
import type { components } from './schema'

type Schemas = components['schemas']

export type User = Schemas['UserView']
export type Tokens = Schemas['Tokens']

export function register(body: Schemas['RegisterRequest']) {
  return open(api.POST('/api/auth/register', { body }))
}

export function verifyEmail(body: Schemas['VerifyRequest']) {
  return open(api.POST('/api/auth/verify-email', { body }))
}

export function resendVerification(userEmail: string) {
  return open(api.POST('/api/auth/resend-verification', { body: { userEmail } }))
}

export function login(body: Schemas['LoginRequest']) {
  return open(api.POST('/api/auth/login', { body }))
}

export function refreshTokens(refreshToken: string) {
  return open(api.POST('/api/auth/refresh', { body: { refreshToken } }))
}

export async function logout(refreshToken: string): Promise<void> {
  await open(api.POST('/api/auth/logout', { body: { refreshToken } }))
}

export function forgotPassword(userEmail: string) {
  return open(api.POST('/api/auth/forgot-password', { body: { userEmail } }))
}

export function resetPassword(body: Schemas['ResetRequest']) {
  return open(api.POST('/api/auth/reset-password', { body }))
}

export const meKey = ['me'] as const

export function meQuery() {
  return queryOptions({ queryKey: meKey, queryFn: ({ signal }) => open(api.GET('/api/auth/me', { signal })).then(({ user }) => user) })
}

export function liveTicket() {
  return open(api.POST('/api/auth/live-ticket'))
}
