// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { askingCache, renderWith } from '../../../../test/render'
import { api } from '../../../api/client'
import { ApiError } from '../../../api/errors'
import { secondFactorKey } from '../../../api/second-factor-key'
import { RemoveFactorDialog } from './remove-factor-dialog'

test('a platform admin is not asked to turn on what is on, but to add another one first', async () => {
  vi.spyOn(api, 'DELETE').mockRejectedValue(new ApiError('SECOND_FACTOR_REQUIRED', { status: 403 }))
  renderWith(askingCache(), <RemoveFactorDialog factor={{ isLast: true }} onClose={vi.fn()} />)
  fireEvent.click(screen.getByRole('button', { name: 'Remover' }))
  await screen.findByText(/Adicione outra antes de remover esta\.$/)
  expect(screen.queryByText(/^Ative a verificação/)).toBeNull()
})

test('a factor that another tab has removed is removed here too', async () => {
  vi.spyOn(api, 'DELETE').mockRejectedValue(new ApiError('NOT_FOUND', { status: 404 }))
  const queries = askingCache()
  queries.setQueryData(secondFactorKey, {})
  const onClose = vi.fn()
  renderWith(queries, <RemoveFactorDialog factor={{ isLast: false }} onClose={onClose} />)
  fireEvent.click(screen.getByRole('button', { name: 'Remover' }))
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  expect(queries.getQueryState(secondFactorKey)?.isInvalidated).toBe(true)
})
