// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
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
  session.expire()
  localStorage.clear()
})

test('a page that a mail leads to ends a session that was left alone for an hour', async () => {
  const signOut = vi.spyOn(session, 'signOut').mockResolvedValue()
  render(<AuthLayout />, { wrapper: MemoryRouter })
  await waitFor(() => expect(signOut).toHaveBeenCalledWith('expired'))
})

test('the way past the header leaves the secret of a mailed link in the address', () => {
  vi.spyOn(session, 'signOut').mockResolvedValue()
  render(<AuthLayout />, { wrapper: MemoryRouter })
  const skip = screen.getByRole('link', { name: 'Pular para o conteúdo' })
  expect(fireEvent.click(skip)).toBe(false)
  expect(document.activeElement).toBe(screen.getByRole('main'))
})
