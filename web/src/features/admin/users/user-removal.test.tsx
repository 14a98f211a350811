// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { answerOf } from '../../../../test/answer'
import { emptyCache } from '../../../../test/cache'
import { renderAt } from '../../../../test/render'
import { userQuery, type AdminUserDetail } from '../../../api/admin'
import { api } from '../../../api/client'
import { ApiError } from '../../../api/errors'
import { clearToasts, useToasts } from '../../../ui/toast'
import { UserRemoval } from './user-removal'

afterEach(() => {
  cleanup()
  clearToasts()
})

const rita = {
  id: 'u1',
  userName: 'Rita',
  userEmail: 'rita@exemplo.com.br',
  status: 'active',
  companies: [{ id: 'c1', name: 'Ponto Azul', role: 'admin' }],
} as AdminUserDetail

function Toasts() {
  return <output>{useToasts().toasts.map(({ text }) => text)}</output>
}

function show(user = rita) {
  const queries = emptyCache()
  queries.setQueryData(userQuery('u1').queryKey, user)
  renderAt(
    '/',
    <>
      <UserRemoval userId="u1" onClose={() => undefined} onRemoved={() => undefined} />
      <Toasts />
    </>,
    queries,
  )
}

test('what was deactivated is the account, whatever the gender of its person', async () => {
  for (const call of ['GET', 'PUT'] as const)
    vi.spyOn(api, call).mockResolvedValue(answerOf({ user: { ...rita, status: 'inactive' } }))
  show()
  fireEvent.click(screen.getByRole('button', { name: 'Desativar' }))
  await screen.findByText('Conta de Rita desativada')
})

test('a failure goes when the other way is begun', async () => {
  const refuse = vi.fn(() => Promise.reject(new ApiError('CONFLICT', { status: 409 })))
  const forEver = () => new Promise(() => undefined)
  vi.spyOn(api, 'PUT').mockImplementation(refuse as never)
  vi.spyOn(api, 'DELETE').mockImplementation(forEver as never)
  show()
  fireEvent.click(screen.getByRole('button', { name: 'Desativar' }))
  await screen.findByText('Erro ao desativar usuário')
  fireEvent.change(screen.getByLabelText(/^Digite rita/), { target: { value: rita.userEmail } })
  const form = screen.getByLabelText(/^Digite rita/).closest('form')
  if (form) fireEvent.submit(form)
  await screen.findAllByText('Excluindo...')
  expect(screen.queryByText('Erro ao desativar usuário')).toBeNull()
  expect(refuse).toHaveBeenCalledOnce()
})

test('the field that Enter erases from must be filled in, and keeps the focus meanwhile', async () => {
  vi.spyOn(api, 'DELETE').mockReturnValue(new Promise(() => undefined) as never)
  show()
  const field = screen.getByLabelText<HTMLInputElement>(/^Digite rita/)
  expect(field.getAttribute('aria-required')).toBe('true')
  fireEvent.change(field, { target: { value: rita.userEmail } })
  fireEvent.submit(field)
  await screen.findAllByText('Excluindo...')
  expect(field.disabled).toBe(false)
})

const CHARGED = /planos pagos seguem sendo renovados e cobrados/

test('who has companies is deactivated knowing that those go on being charged, and where to stop that', () => {
  show()
  screen.getByText(CHARGED)
  expect(screen.getByRole('link', { name: 'Ponto Azul' }).getAttribute('href')).toBe('/admin/companies?company=c1')
})

test.each([
  ['has no company', { ...rita, companies: [] }],
  ['is deactivated already', { ...rita, status: 'inactive' as const }],
])('nothing is said of charges where the person %s', (_, user) => {
  show(user)
  expect(screen.queryByText(CHARGED)).toBeNull()
})

test('the erasure says which companies end with it, and who gets the others', () => {
  show()
  screen.getByText(/Empresas de que só ela participa são excluídas, com o crédito que tiverem\. As outras/)
})

test('an erasure that would leave a company without an administrator names it, and what comes first', async () => {
  const fields = { companyId: 'c2', companyName: 'Ponto Norte' }
  vi.spyOn(api, 'DELETE').mockRejectedValue(new ApiError('LAST_ADMIN', { status: 409, fields }))
  show()
  fireEvent.change(screen.getByLabelText(/^Digite rita/), { target: { value: rita.userEmail } })
  const form = screen.getByLabelText(/^Digite rita/).closest('form')
  if (form) fireEvent.submit(form)
  await screen.findByText('Erro ao excluir usuário')
  const link = await screen.findByRole('link', { name: 'Ponto Norte' })
  expect(link.getAttribute('href')).toBe('/admin/companies?company=c2')
  screen.getByText(/^Antes, a pessoa precisa passar a administração da empresa para outro usuário\. Se só ela/)
})
