// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderAt } from '../../../test/render'
import { undo } from '../../api/auth'
import { ApiError } from '../../api/errors'
import { UndoChangePage } from './undo-change'

vi.mock('../../api/auth')

test('a link that turns out to be over leaves the focus to the title of the page', async () => {
  vi.mocked(undo).mockRejectedValue(new ApiError('UNDO_INVALID', { status: 404 }))
  renderAt('/not-me#t0k', <UndoChangePage />)
  const press = screen.getByRole('button', { name: 'Não fui eu: proteger a conta' })
  press.focus()
  await act(async () => fireEvent.click(press))
  await screen.findByText('Este link não vale mais')
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Não foi você?' }))
})

test('nobody is told that the account is shut to a passkey that stays', () => {
  renderAt('/not-me#t0k', <UndoChangePage />)
  screen.getByText(/Uma chave de acesso mais antiga ainda abre a conta\.$/)
  expect(screen.queryByText(/ninguém entra/)).toBeNull()
})
