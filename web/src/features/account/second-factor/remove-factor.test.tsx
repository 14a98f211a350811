// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { askingCache, renderWith } from '../../../../test/render'
import { api } from '../../../api/client'
import { ApiError } from '../../../api/errors'
import { RemoveFactorDialog } from './remove-factor-dialog'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

test('a platform admin is not asked to turn on what is on, but to add another one first', async () => {
  vi.spyOn(api, 'DELETE').mockRejectedValue(new ApiError('SECOND_FACTOR_REQUIRED', { status: 403 }))
  renderWith(askingCache(), <RemoveFactorDialog factor={{ isLast: true }} onClose={vi.fn()} />)
  fireEvent.click(screen.getByRole('button', { name: 'Remover' }))
  await screen.findByText(/Adicione outra antes de remover esta\.$/)
  expect(screen.queryByText(/^Ative a verificação/)).toBeNull()
})
