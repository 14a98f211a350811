// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { renderAt } from '../../../test/render'
import { ApiError } from '../../api/errors'
import { session } from '../../auth/use-session'
import { DeleteAccount } from './delete-account'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

test('the last administrator is led to each way out, also where nothing can be changed', async () => {
  vi.spyOn(session, 'endSessionBy').mockRejectedValue(new ApiError('LAST_ADMIN', { status: 409 }))
  renderAt('/account', <DeleteAccount />)
  fireEvent.click(screen.getByRole('button', { name: 'Excluir minha conta' }))
  const dialog = within(screen.getByRole('alertdialog'))
  fireEvent.change(dialog.getByLabelText(/^Senha/), { target: { value: 'Bipe#2026' } })
  fireEvent.click(dialog.getByRole('button', { name: 'Excluir minha conta' }))
  await dialog.findByText(/Em uma empresa suspensa ou desativada nada pode ser mudado\.$/)
  const targets = dialog.getAllByRole('link').map((link) => link.getAttribute('href'))
  expect(targets).toEqual(['/company/manage', '/plans', '/#ajuda'])
})
