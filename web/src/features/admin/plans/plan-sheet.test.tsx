// @vitest-environment happy-dom
import type { ReactNode } from 'react'
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { useQuery } from '@tanstack/react-query'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { beforeEach, expect, test, vi } from 'vitest'
import { answerOf } from '../../../../test/answer'
import { askingCache, renderWith } from '../../../../test/render'
import { adminPlanQuery, type AdminPlan } from '../../../api/admin'
import { api } from '../../../api/client'
import { ApiError } from '../../../api/errors'
import { TooltipProvider } from '../../../ui/tooltip'
import { WITHOUT_FREE_PLAN } from '../labels'
import PlanSheet from './plan-sheet'

const opened: AdminPlan = {
  id: 'p1',
  name: 'essencial',
  displayName: 'Essencial',
  description: 'Para quem começa.',
  status: 'active',
  monthlyPrice: 12_345.67,
  quarterlyPrice: 31_481.46,
  yearlyPrice: 111_111.03,
  features: ['Painel'],
  limits: { maxUsers: 5, maxBeeping: -1 },
  isPopular: false,
  isFree: false,
  hierarchy: 1,
  activeSubscriptions: 0,
}

/** As another administrator has saved it since. */
const now: AdminPlan = { ...opened, monthlyPrice: 500, description: 'Para quem recomeça.' }
const answer = (plan: AdminPlan) => answerOf({ plan })

beforeEach(() => {
  vi.spyOn(api, 'GET').mockResolvedValue(answer(now))
})

function render(sheet: ReactNode) {
  return renderWith(
    askingCache(),
    <TooltipProvider>
      <RouterProvider router={createMemoryRouter([{ path: '*', element: sheet }])} />
    </TooltipProvider>,
  )
}

/** As the page shows it: the plan follows the server. */
function Followed({ plan }: { plan: AdminPlan }) {
  const { data } = useQuery({ ...adminPlanQuery(plan.id), enabled: false })
  return <PlanSheet plan={data ?? plan} onSaved={() => {}} onClose={() => {}} />
}

function show(plan = opened) {
  const put = vi.spyOn(api, 'PUT').mockResolvedValue(answer(now))
  render(<Followed plan={plan} />)
  return put
}

test.each([
  ['the one that was sent', 'Para quem começa.', 1],
  ['another of that name', 'De outra pessoa.', 2],
])('after a lost answer it is looked whether the plan that is there is %s', async (_, description, calls) => {
  const made = { ...opened, monthlyPrice: 50, quarterlyPrice: 127.5, yearlyPrice: 450, features: [], description }
  const post = vi
    .spyOn(api, 'POST')
    .mockRejectedValueOnce(new ApiError('NETWORK_ERROR'))
    .mockRejectedValue(new ApiError('PLAN_NAME_EXISTS', { status: 409 }))
  const plans: AdminPlan[] = []
  const page = { plans, total: 1, page: 1, counts: { active: 1, total: 1 } }
  vi.mocked(api.GET).mockResolvedValue(answerOf(page))
  const saved = vi.fn()
  render(<PlanSheet onSaved={saved} onClose={() => {}} />)
  const type = (label: RegExp, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
  type(/^Nome/, 'Essencial')
  type(/^Descrição/, 'Para quem começa.')
  type(/^Preço mensal/, '50')
  fireEvent.click(screen.getByRole('button', { name: 'Preencher com desconto padrão' }))
  type(/^Máximo de usuários/, '5')
  fireEvent.click(screen.getByLabelText('Ilimitado (Máximo de bipagens por mês)'))
  fireEvent.click(screen.getByRole('button', { name: 'Criar Plano' }))
  await screen.findByText('Erro ao criar plano')
  plans.push(made)
  fireEvent.click(screen.getByRole('button', { name: 'Criar Plano' }))
  if (calls === 1) await waitFor(() => expect(saved).toHaveBeenCalledWith('p1'))
  else await screen.findAllByText('Já existe um plano com este nome')
  expect(post).toHaveBeenCalledTimes(calls)
})

test('what this form left alone stays as another administrator has saved it', async () => {
  const put = show()
  fireEvent.change(screen.getByLabelText(/^Nível/), { target: { value: '2' } })
  fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
  await waitFor(() => expect(put).toHaveBeenCalledOnce())
  expect(put.mock.calls[0]?.[1]).toMatchObject({
    body: { hierarchy: 2, monthlyPrice: 500, description: 'Para quem recomeça.', displayName: 'Essencial' },
  })
})

test.each([
  ['active', 1],
  ['inactive', 0],
] as const)('a free plan that is %s gets a price: what follows is said %d times', (status, times) => {
  show({ ...opened, status, isFree: true, monthlyPrice: 0, quarterlyPrice: 0, yearlyPrice: 0 })
  const price = screen.getByLabelText(/^Preço mensal/)
  expect(screen.queryByText(WITHOUT_FREE_PLAN)).toBeNull()
  fireEvent.change(price, { target: { value: '' } })
  expect(screen.queryByText(WITHOUT_FREE_PLAN)).toBeNull()
  fireEvent.change(price, { target: { value: '9,90' } })
  expect(screen.queryAllByText(WITHOUT_FREE_PLAN)).toHaveLength(times)
})

test('a field that both have changed is not saved but named a conflict', async () => {
  const put = show()
  fireEvent.change(screen.getByLabelText(/^Descrição/), { target: { value: 'Para quem volta.' } })
  fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('O registro mudou desde que você o abriu. Atualize e tente novamente')
  expect(put).not.toHaveBeenCalled()
})

test('after a conflict the form begins with what the other administrator has saved', async () => {
  const put = show()
  fireEvent.change(screen.getByLabelText(/^Descrição/), { target: { value: 'Para quem volta.' } })
  fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Carregar os dados novos' }))
  expect(screen.getByLabelText<HTMLTextAreaElement>(/^Descrição/).value).toBe('Para quem recomeça.')
  expect(screen.getByLabelText<HTMLInputElement>(/^Preço mensal/).value).toBe('500,00')
  fireEvent.change(screen.getByLabelText(/^Descrição/), { target: { value: 'Para quem volta.' } })
  fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
  await waitFor(() => expect(put).toHaveBeenCalledOnce())
  expect(put.mock.calls[0]?.[1]).toMatchObject({ body: { monthlyPrice: 500, description: 'Para quem volta.' } })
})

test('a line that the server refuses is marked, and has the focus', async () => {
  show().mockRejectedValue(new ApiError('VALIDATION_ERROR', { status: 422, fields: { 'features[0]': 'INVALID' } }))
  fireEvent.change(screen.getByLabelText(/^Nível/), { target: { value: '2' } })
  fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
  const line = screen.getByLabelText('Recurso 1')
  await waitFor(() => expect(line.getAttribute('aria-invalid')).toBe('true'))
  await waitFor(() => expect(document.activeElement).toBe(line))
  expect(screen.queryByText('Erro ao atualizar plano')).toBeNull()
})

test('a feature that is removed leaves the focus where it was, and the last one at what adds another', () => {
  show()
  fireEvent.click(screen.getByRole('button', { name: 'Adicionar recurso' }))
  const remove = (name: string) => {
    const button = screen.getByRole('button', { name })
    button.focus()
    fireEvent.click(button)
    return document.activeElement
  }
  expect(remove('Remover recurso 1')).toBe(screen.getByRole('button', { name: 'Remover recurso 1' }))
  expect(remove('Remover recurso 1')?.textContent).toBe('Adicionar recurso')
})

test('a save whose answer comes when the sheet was left closes no other one', async () => {
  let arrive = (): void => undefined
  const later = new Promise<void>((resolve) => (arrive = resolve)).then(() => answer(now))
  const put = vi.spyOn(api, 'PUT').mockReturnValue(later as never)
  const close = vi.fn()
  const view = render(<PlanSheet plan={opened} onSaved={() => {}} onClose={close} />)
  fireEvent.change(screen.getByLabelText(/^Máximo de usuários/), { target: { value: '7' } })
  fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
  await waitFor(() => expect(put).toHaveBeenCalled())
  view.unmount()
  await act(async () => arrive())
  expect(close).not.toHaveBeenCalled()
})

test('an empty form names every field, and asks before what was typed is lost', async () => {
  const close = vi.fn()
  render(<PlanSheet onSaved={() => {}} onClose={close} />)
  const press = async (label: string) => fireEvent.click(await screen.findByText(label, { selector: 'button' }))
  await press('Criar Plano')
  await waitFor(() => expect(screen.getAllByText('Campo obrigatório')).toHaveLength(7))
  const name = screen.getByLabelText<HTMLInputElement>(/^Nome/)
  fireEvent.change(name, { target: { value: 'Essencial' } })
  await waitFor(() => expect(screen.getAllByText('Campo obrigatório')).toHaveLength(6))
  fireEvent.keyDown(name, { key: 'Escape' })
  await press('Continuar editando')
  expect(name.value).toBe('Essencial')
  await press('Cancelar')
  expect(close).not.toHaveBeenCalled()
  await press('Sair sem salvar')
  expect(close).toHaveBeenCalledOnce()
})

test('a sheet stays while it is saved, and asks nothing', async () => {
  let arrive = (): void => undefined
  const later = new Promise<void>((resolve) => (arrive = resolve)).then(() => answer(now))
  const put = vi.spyOn(api, 'PUT').mockReturnValue(later as never)
  const close = vi.fn()
  render(<PlanSheet plan={opened} onSaved={() => {}} onClose={close} />)
  fireEvent.change(screen.getByLabelText(/^Máximo de usuários/), { target: { value: '7' } })
  fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
  await waitFor(() => expect(put).toHaveBeenCalled())
  expect(screen.queryByRole('button', { name: 'Fechar' })).toBeNull()
  fireEvent.keyDown(screen.getByLabelText(/^Máximo de usuários/), { key: 'Escape' })
  expect(screen.queryByText('Sair sem salvar?')).toBeNull()
  expect(close).not.toHaveBeenCalled()
  await act(async () => arrive())
  await waitFor(() => expect(close).toHaveBeenCalledOnce())
})
