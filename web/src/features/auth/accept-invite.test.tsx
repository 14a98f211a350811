// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderAt } from '../../../test/render'
import { api } from '../../api/client'
import { invitePreviewQuery } from '../../api/companies'
import { ApiError } from '../../api/errors'
import { AcceptInvitePage } from './accept-invite'

const userEmail = 'ana@exemplo.com.br'

vi.mock('../../auth/use-session', () => ({
  session: {},
  useSession: () => ({ status: 'authenticated', user: { userEmail } }),
}))

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

test('an invitation that ended while it was shown makes room for what to do instead', async () => {
  vi.spyOn(api, 'POST').mockRejectedValue(new ApiError('INVITE_INVALID', { status: 404 }))
  const queries = emptyCache()
  const invite = { companyName: 'Ponto Norte', role: 'operator', userEmail, expiresAt: '2026-12-06T12:00:00Z' } as const
  queries.setQueryData(invitePreviewQuery('t0k').queryKey, invite)
  renderAt('/accept-invite?token=t0k', <AcceptInvitePage />, queries)
  fireEvent.click(screen.getByRole('button', { name: 'Aceitar convite' }))
  await screen.findByRole('link', { name: 'Ir para o Dashboard' })
  screen.getByText(/use o link do mais novo/)
  expect(screen.queryByRole('button')).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Convite' }))
})
