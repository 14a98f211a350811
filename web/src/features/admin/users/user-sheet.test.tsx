// @vitest-environment happy-dom
import { useState } from 'react'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { beforeEach, expect, test, vi } from 'vitest'
import { answerOf } from '../../../../test/answer'
import { askingCache, renderWith } from '../../../../test/render'
import type { AdminUserDetail } from '../../../api/admin'
import { api } from '../../../api/client'
import { ApiError } from '../../../api/errors'
import { announce } from '../../../ui/announcer'
import { notifyInfo, notifySuccess } from '../../../ui/toast'
import { TooltipProvider } from '../../../ui/tooltip'
import { roleLabels } from '../labels'
import { UserSheet } from './user-sheet'

vi.mock('../../../ui/announcer', { spy: true })
vi.mock('../../../ui/toast', { spy: true })
vi.mock('../../../auth/use-session', () => ({ useUser: () => ({ id: 'root' }) }))

const rita: AdminUserDetail = {
  id: 'u1',
  userName: 'Rita Campos',
  userEmail: 'rita@exemplo.com.br',
  userDocument: '***.739.172-**',
  userPhone: '11987654321',
  userRole: 'user',
  role: 'user',
  status: 'active',
  emailVerified: true,
  createdAt: '2026-11-21T12:00:00Z',
  sessions: 1,
  companies: [],
  consents: [],
} as unknown as AdminUserDetail

/** What an answer takes. */
let readingMs = 0
let stored = rita
const sent: unknown[] = []
let asked: string[] = []

const onRemove = vi.fn()

function Opened() {
  const [isEditing, setEditing] = useState(false)
  return <UserSheet userId="u1" isEditing={isEditing} onEdit={setEditing} onRemove={onRemove} onClose={() => {}} />
}

beforeEach(() => {
  readingMs = 0
  stored = rita
  asked = []
  vi.spyOn(api, 'GET').mockImplementation(((path: string) => {
    asked.push(path)
    const data = path.endsWith('/users/{id}') ? { user: stored } : { entries: [], total: 0 }
    const answer = answerOf(data)
    return new Promise((resolve) => setTimeout(() => resolve(answer), readingMs))
  }) as never)
})

function show() {
  renderWith(
    askingCache(),
    <TooltipProvider>
      <RouterProvider router={createMemoryRouter([{ path: '*', element: <Opened /> }])} />
    </TooltipProvider>,
  )
}

test('a saved person is shown and edited again as saved, however long the reading takes', async () => {
  readingMs = 100
  vi.spyOn(api, 'PUT').mockImplementation(((_: string, { body }: { body: { role: 'admin' | 'user' } }) => {
    sent.push(body)
    stored = { ...stored, role: body.role, userRole: body.role }
    return Promise.resolve(answerOf({ user: stored }))
  }) as never)
  const save = async (role: 'admin' | 'user') => {
    fireEvent.click(await screen.findByRole('button', { name: 'Editar' }))
    // The form's code is loaded first.
    fireEvent.change(await screen.findByLabelText(/^Papel/, {}, { timeout: 10_000 }), { target: { value: role } })
    fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
    await screen.findByRole('heading', { name: 'Perfil' })
    screen.getByText(roleLabels[role])
  }
  show()
  await save('admin')
  await save('user')
  expect(sent).toEqual([{ role: 'admin' }, { role: 'user' }])
})

test.each([
  ['Rita Campos', '(11) 91234-5678', { userName: 'Rita de Campos' }],
  ['Rita Lima', rita.userPhone, null],
])('a name is not saved over one that another admin has saved since: %s', async (userName, userPhone, body) => {
  const put = vi.spyOn(api, 'PUT').mockResolvedValue(answerOf({ user: rita }))
  show()
  fireEvent.click(await screen.findByRole('button', { name: 'Editar' }))
  const name = await screen.findByLabelText(/^Nome Completo/, {}, { timeout: 10_000 })
  fireEvent.change(name, { target: { value: 'Rita de Campos' } })
  stored = { ...rita, userName, userPhone }
  fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
  if (body) await waitFor(() => expect(put.mock.calls[0]?.[1]).toMatchObject({ body }))
  else await screen.findByText('O registro mudou desde que você o abriu. Atualize e tente novamente')
  expect(put).toHaveBeenCalledTimes(body ? 1 : 0)
})

test('after a conflict the form begins with what the other admin has saved, and saves over it', async () => {
  const put = vi.spyOn(api, 'PUT').mockResolvedValue(answerOf({ user: rita }))
  show()
  fireEvent.click(await screen.findByRole('button', { name: 'Editar' }))
  const type = (value: string) => fireEvent.change(screen.getByLabelText(/^Nome Completo/), { target: { value } })
  await screen.findByLabelText(/^Nome Completo/, {}, { timeout: 10_000 })
  type('Rita de Campos')
  stored = { ...rita, userName: 'Rita Lima' }
  fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Carregar os dados novos' }))
  expect(screen.getByLabelText<HTMLInputElement>(/^Nome Completo/).value).toBe('Rita Lima')
  expect(screen.queryByText('Erro ao atualizar usuário')).toBeNull()
  type('Rita de Campos')
  fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
  await waitFor(() => expect(put.mock.calls[0]?.[1]).toMatchObject({ body: { userName: 'Rita de Campos' } }))
})

test.each([
  ['active', true, ['Ativo', 'Inativo']],
  ['inactive', true, ['Ativo', 'Inativo']],
  ['pending', false, ['Pendente', 'Inativo']],
  ['inactive', false, ['Pendente', 'Inativo']],
] as const)(
  'nobody is made active before their address is confirmed: %s, %s',
  async (status, emailVerified, offered) => {
    stored = { ...rita, status, emailVerified }
    show()
    fireEvent.click(await screen.findByRole('button', { name: 'Editar' }))
    const select = await screen.findByLabelText<HTMLSelectElement>(/^Status/, {}, { timeout: 10_000 })
    expect(Array.from(select.options, ({ text }) => text)).toEqual(offered)
  },
)

test('who is about to be made inactive has companies that go on being charged', async () => {
  stored = { ...rita, companies: [{ id: 'c1', name: 'Ponto Azul', role: 'admin' }] }
  show()
  fireEvent.click(await screen.findByRole('button', { name: 'Editar' }))
  const select = await screen.findByLabelText(/^Status/, {}, { timeout: 10_000 })
  expect(screen.queryByText(/seguem sendo renovados e cobrados/)).toBeNull()
  fireEvent.change(select, { target: { value: 'inactive' } })
  await screen.findByText(/seguem sendo renovados e cobrados/)
  screen.getByRole('link', { name: 'Ponto Azul' })
})

test.each([
  [true, 'Ativa'],
  [false, 'Desativada'],
])('support sees whether a person has a second factor: %s', async (hasSecondFactor, word) => {
  stored = { ...rita, hasSecondFactor }
  show()
  const term = await screen.findByText('Verificação em duas etapas')
  expect(term.nextElementSibling?.textContent).toBe(word)
})

test('of a code that may not be sent again so soon no success is claimed', async () => {
  stored = { ...rita, emailVerified: false }
  vi.spyOn(api, 'POST').mockResolvedValue(answerOf({}))
  show()
  fireEvent.click(await screen.findByRole('button', { name: 'Reenviar verificação' }))
  await waitFor(() => expect(notifyInfo).toHaveBeenCalledWith('Reenvio solicitado', expect.anything()))
  expect(notifySuccess).not.toHaveBeenCalled()
})

test('what was done in the sheet is read in its audit', async () => {
  vi.spyOn(api, 'POST').mockImplementation((() =>
    Promise.resolve({ response: new Response(null, { status: 204 }) })) as never)
  show()
  await waitFor(() => expect(screen.getAllByText('Nenhum registro de auditoria')).toHaveLength(2))
  const reads = () => asked.filter((path) => path.endsWith('/audit')).length
  const before = reads()
  fireEvent.click(screen.getByRole('button', { name: 'Encerrar sessões' }))
  const question = within(await screen.findByRole('alertdialog'))
  fireEvent.click(question.getByRole('button', { name: 'Encerrar sessões' }))
  await waitFor(() => expect(reads()).toBe(before + 2))
})

test.each([
  ['another person', 'u1', 'Excluir', 1],
  ['oneself', 'root', 'Excluir: Você não pode excluir a si mesmo', 0],
])('the button that deletes %s does what it says', async (_, id, name, removed) => {
  stored = { ...rita, id }
  show()
  const button = await screen.findByRole('button', { name })
  expect(button.getAttribute('aria-disabled')).toBe(removed ? null : 'true')
  fireEvent.click(button)
  expect(onRemove).toHaveBeenCalledTimes(removed)
})

test('"Cancelar" leads back to the person, and asks before a change is lost', async () => {
  show()
  fireEvent.click(await screen.findByRole('button', { name: 'Editar' }))
  const name = await screen.findByLabelText(/^Nome Completo/, {}, { timeout: 10_000 })
  fireEvent.change(name, { target: { value: 'Rita de Campos' } })
  fireEvent.click(screen.getByRole('button', { name: 'Cancelar' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Continuar editando' }))
  expect(screen.getByLabelText<HTMLInputElement>(/^Nome Completo/).value).toBe('Rita de Campos')
  fireEvent.click(screen.getByRole('button', { name: 'Cancelar' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Sair sem salvar' }))
  await screen.findByRole('heading', { name: 'Perfil' })
  fireEvent.click(screen.getByRole('button', { name: 'Editar' }))
  await screen.findByLabelText(/^Nome Completo/)
  fireEvent.click(screen.getByRole('button', { name: 'Cancelar' }))
  expect(screen.queryByText('Sair sem salvar?')).toBeNull()
  await screen.findByRole('heading', { name: 'Perfil' })
})

test('that a person is not there is heard, and nothing is to be tried again', async () => {
  vi.spyOn(api, 'GET').mockRejectedValue(new ApiError('NOT_FOUND', { status: 404 }))
  show()
  await screen.findByText('Usuário não encontrado')
  expect(announce).toHaveBeenCalledWith('Usuário não encontrado')
  expect(screen.queryByRole('button', { name: 'Tentar Novamente' })).toBeNull()
})
