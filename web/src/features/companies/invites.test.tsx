// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderWith } from '../../../test/render'
import { api } from '../../api/client'
import { companyKeys, type Invite } from '../../api/companies'
import { ApiError } from '../../api/errors'
import { clearToasts, useToasts } from '../../ui/toast'
import { Invites } from './invites'

afterEach(() => {
  cleanup()
  clearToasts()
})

function Toasts() {
  return useToasts().toasts.map(({ id, text }) => <p key={id}>{text}</p>)
}

test('an invite that expired while it was shown goes, and a toast says why', async () => {
  vi.spyOn(api, 'POST').mockRejectedValue(new ApiError('NOT_FOUND', { status: 404 }))
  const queries = emptyCache()
  const key = companyKeys.detail('c1')
  queries.setQueryData(key, {})
  const invite: Invite = {
    id: 'i1',
    userEmail: 'ana@exemplo.com.br',
    role: 'operator',
    expiresAt: '2026-12-06T12:00:00Z',
  }
  renderWith(
    queries,
    <>
      <Invites companyId="c1" invites={[invite]} canManage />
      <Toasts />
    </>,
  )
  const resend = screen.getByRole('button', { name: 'Reenviar convite para ana@exemplo.com.br' })
  act(() => resend.focus())
  fireEvent.click(resend)
  await screen.findByText(/^O convite para ana@exemplo\.com\.br não vale mais\./)
  expect(screen.queryByText('Registro não encontrado')).toBeNull()
  expect(queries.getQueryState(key)?.isInvalidated).toBe(true)
  // The row takes its button with it.
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Convites pendentes' }))
})

test('without an invite there is no list, which would be announced as an empty one', () => {
  renderWith(emptyCache(), <Invites companyId="c1" invites={[]} canManage />)
  screen.getByText('Nenhum convite pendente')
  expect(screen.queryByRole('list')).toBeNull()
})
