// @vitest-environment happy-dom
import { cleanup, render, waitFor } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { session } from '../../auth/use-session'
import { AuthLayout } from './auth-layout'

const maria = { id: 'u1', userName: 'Maria', userEmail: 'maria@exemplo.com.br', userRole: 'user' as const }

beforeEach(() => {
  session.signIn(maria, { accessToken: 'a', refreshToken: 'r', expiresIn: 900 })
  vi.spyOn(session, 'lastActivity').mockImplementation(() => Date.now() - 61 * 60_000)
})
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  session.expire()
  localStorage.clear()
})

test('a page that a mail leads to ends a session that was left alone for an hour', async () => {
  const signOut = vi.spyOn(session, 'signOut').mockResolvedValue()
  render(<AuthLayout />, { wrapper: MemoryRouter })
  await waitFor(() => expect(signOut).toHaveBeenCalledWith('expired'))
})
