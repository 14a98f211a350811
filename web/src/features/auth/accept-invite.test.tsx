// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { emptyCache } from '../../../test/cache'
import { renderAt, renderWith } from '../../../test/render'
import { api } from '../../api/client'
import { invitePreviewQuery } from '../../api/companies'
import { ApiError } from '../../api/errors'
import { AcceptInvitePage } from './accept-invite'

const userEmail = 'ana@exemplo.com.br'

let isSignedIn = true

vi.mock('../../auth/use-session', () => ({
  session: { chooseCompany: () => undefined },
  useSession: () => (isSignedIn ? { status: 'authenticated', user: { userEmail } } : { status: 'anonymous' }),
}))

afterEach(() => {
  isSignedIn = true
})

function cacheWithInvite() {
  const queries = emptyCache()
  const invite = { companyName: 'Ponto Norte', role: 'operator', userEmail, expiresAt: '2026-12-06T12:00:00Z' } as const
  queries.setQueryData(invitePreviewQuery('t0k').queryKey, invite)
  return queries
}

test('who has left before the invitation was accepted stays where they are', async () => {
  let arrive = (): void => undefined
  const company = { id: 'c1', companyName: 'Ponto Norte', userRole: 'operator' }
  const answer = answerOf({ company })
  vi.spyOn(api, 'POST').mockReturnValue(new Promise((resolve) => (arrive = () => resolve(answer))) as never)
  const routes = [
    { path: '/accept-invite', element: <AcceptInvitePage /> },
    { path: '/account', element: <p>Minha Conta</p> },
    { path: '/dashboard', element: <p>Chegou</p> },
  ]
  const router = createMemoryRouter(routes, { initialEntries: ['/accept-invite?token=t0k'] })
  renderWith(cacheWithInvite(), <RouterProvider router={router} />)
  fireEvent.click(screen.getByRole('button', { name: 'Aceitar convite' }))
  await screen.findByText('Aceitando...')
  await act(() => router.navigate('/account'))
  await act(async () => arrive())
  expect(screen.getByText('Minha Conta')).toBeTruthy()
})

test('whoever has an account signs in with the invited address, and comes back', () => {
  isSignedIn = false
  renderAt('/accept-invite?token=t0k', <AcceptInvitePage />, cacheWithInvite())
  const { searchParams } = new URL(screen.getByRole<HTMLAnchorElement>('link', { name: 'Entrar' }).href)
  expect(Object.fromEntries(searchParams)).toEqual({ next: '/accept-invite?token=t0k', email: userEmail })
})

test('an invitation that ended while it was shown makes room for what to do instead', async () => {
  vi.spyOn(api, 'POST').mockRejectedValue(new ApiError('INVITE_INVALID', { status: 404 }))
  renderAt('/accept-invite?token=t0k', <AcceptInvitePage />, cacheWithInvite())
  fireEvent.click(screen.getByRole('button', { name: 'Aceitar convite' }))
  await screen.findByRole('link', { name: 'Ir para o Dashboard' })
  screen.getByText(/use o link do mais novo/)
  expect(screen.queryByRole('button')).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Convite' }))
})
