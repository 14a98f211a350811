// @vitest-environment happy-dom
import { fireEvent, screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderAt } from '../../../test/render'
import { ApiError } from '../../api/errors'
import { session } from '../../auth/use-session'
import { DeleteAccount } from './delete-account'

test('the last administrator of a company is led to each way out of it, also where nothing can be changed', async () => {
  const fields = { companyId: 'c1', companyName: 'Ponto Norte' }
  vi.spyOn(session, 'endSessionBy').mockRejectedValue(new ApiError('LAST_ADMIN', { status: 409, fields }))
  renderAt('/account', <DeleteAccount />)
  fireEvent.click(screen.getByRole('button', { name: 'Excluir minha conta' }))
  const dialog = within(screen.getByRole('alertdialog'))
  fireEvent.change(dialog.getByLabelText(/^Senha/), { target: { value: 'Bipe#2026' } })
  fireEvent.click(dialog.getByRole('button', { name: 'Excluir minha conta' }))
  await dialog.findByText(/da empresa Ponto Norte a outra pessoa.+ suspensa ou desativada, nada pode ser mudado\.$/)
  const targets = dialog.getAllByRole('link').map((link) => link.getAttribute('href'))
  expect(targets).toEqual(['/company/manage?companyId=c1', '/plans?companyId=c1', '/#ajuda'])
})

test('the last administrator of the platform is not told of a company', async () => {
  vi.spyOn(session, 'endSessionBy').mockRejectedValue(new ApiError('LAST_ADMIN', { status: 409 }))
  vi.spyOn(session.state, 'get').mockReturnValue({
    status: 'authenticated',
    user: { id: 'u1', userName: 'Rita', userEmail: 'rita@exemplo.com.br', userRole: 'admin' },
  })
  renderAt('/account', <DeleteAccount />)
  fireEvent.click(screen.getByRole('button', { name: 'Excluir minha conta' }))
  const dialog = within(screen.getByRole('alertdialog'))
  fireEvent.change(dialog.getByLabelText(/^Senha/), { target: { value: 'Bipe#2026' } })
  fireEvent.click(dialog.getByRole('button', { name: 'Excluir minha conta' }))
  await dialog.findByText(/^A plataforma precisa de pelo menos um administrador\./)
  expect(dialog.queryByText(/empresa precisa/)).toBeNull()
  expect(dialog.getByRole('link', { name: 'Usuários' }).getAttribute('href')).toBe('/admin/users')
})
