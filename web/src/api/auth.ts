// The calls of `/api/auth`. Screens and the session use these; nobody else writes these paths.
import { queryOptions } from '@tanstack/react-query'
import { call } from './client'

export interface User {
  id: string
  userName: string
  userEmail: string
  userDocument: string
  userPhone: string
  userBirthDate: string
  userRole: 'admin' | 'user'
  status: 'active' | 'inactive' | 'pending'
  emailVerified: boolean
  createdAt: string
}

export interface Tokens {
  accessToken: string
  refreshToken: string
  expiresIn: number
}

export interface Registration {
  userName: string
  userEmail: string
  userDocument: string
  userPhone: string
  userBirthDate: string
  password: string
  password_confirmation: string
  consent_legal_terms: boolean
  consent_privacy_terms: boolean
  consent_lgpd_terms: boolean
  inviteToken?: string
}

export function register(body: Registration): Promise<{ user: User }> {
  return call('POST', '/api/auth/register', { body })
}

export function verifyEmail(body: { userEmail: string; verificationCode: string }): Promise<{ user: User }> {
  return call('POST', '/api/auth/verify-email', { body })
}

export function resendVerification(userEmail: string): Promise<unknown> {
  return call('POST', '/api/auth/resend-verification', { body: { userEmail } })
}

export function login(body: { userEmail: string; password: string }): Promise<{ user: User; tokens: Tokens }> {
  return call('POST', '/api/auth/login', { body })
}

export function refreshTokens(refreshToken: string): Promise<{ tokens: Tokens }> {
  return call('POST', '/api/auth/refresh', { body: { refreshToken } })
}

export function logout(refreshToken: string): Promise<void> {
  return call('POST', '/api/auth/logout', { body: { refreshToken } })
}

export function forgotPassword(userEmail: string): Promise<unknown> {
  return call('POST', '/api/auth/forgot-password', { body: { userEmail } })
}

export interface PasswordReset {
  userEmail: string
  otp: string
  newPassword: string
  confirmPassword: string
}

export function resetPassword(body: PasswordReset): Promise<unknown> {
  return call('POST', '/api/auth/reset-password', { body })
}

export const meKey = ['me'] as const

export function meQuery() {
  return queryOptions({ queryKey: meKey, queryFn: ({ signal }) => call<{ user: User }>('GET', '/api/auth/me', { signal }).then(({ user }) => user) })
}

export function liveTicket(): Promise<{ ticket: string; expiresIn: number }> {
  return call('POST', '/api/auth/live-ticket')
}
