// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useQuery } from '@tanstack/react-query'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, test, vi } from 'vitest'
import { answerOf } from '../../../../test/answer'
import { askingCache, renderAt, renderWith } from '../../../../test/render'
import { adminCompanyQuery, type AdminCompanyDetail } from '../../../api/admin'
import { api } from '../../../api/client'
import { ApiError } from '../../../api/errors'
import { announce } from '../../../ui/announcer'
import { TooltipProvider } from '../../../ui/tooltip'
import CompanyForm from './company-form'
import { CompanySheet, type CompanyTab } from './company-sheet'

vi.mock('../../../ui/announcer', { spy: true })

const payment = {
  id: 'p1',
  companyId: 'c1',
  status: 'SUCCESS',
  amount: 9990,
  currency: 'brl',
  paymentMethod: 'PIX',
  createdAt: '2026-11-21T12:00:00Z',
} as AdminCompanyDetail['payments'][number]

const running = {
  status: 'suspended',
  plan: { displayName: 'Profissional', isFree: false },
  price: 99.9,
  billingCycle: 'monthly',
  endDate: '2026-12-22T15:00:00Z',
  creditBalance: 12.5,
  state: { kind: 'suspended', deadline: '2027-01-06T15:00:00Z', amount: 87.4, action: 'pay' },
} as unknown as NonNullable<AdminCompanyDetail['running']>

const azul = {
  id: 'c1',
  name: 'Ponto Azul',
  email: 'ana@exemplo.com.br',
  status: 'active',
  createdAt: '2026-01-10T12:00:00Z',
  users: { total: 1, active: 1, admins: 1 },
  subscription: { plan: 'Profissional', planId: 'p', status: 'expired', mrr: 0 },
  metrics: { revenue: 0 },
  members: [],
  months: [],
  payments: [payment],
  running,
} as unknown as AdminCompanyDetail

async function show(company: Partial<AdminCompanyDetail> | null, tab: CompanyTab = 'data') {
  const get = vi.spyOn(api, 'GET')
  if (company) get.mockResolvedValue(answerOf({ company: { ...azul, ...company } }))
  else get.mockRejectedValue(new ApiError('NOT_FOUND', { status: 404 }))
  const nothing = () => undefined
  renderAt(
    '/',
    <TooltipProvider>
      <CompanySheet companyId="c1" tab={tab} isEditing={false} onTab={nothing} onEdit={nothing} onClose={nothing} />
    </TooltipProvider>,
  )
  return within(await screen.findByRole('dialog', { name: company ? 'Ponto Azul' : 'Empresa' }))
}

/** What stands beside a name, with plain spaces; null where the name is not there. */
function fact(name: string): string | null {
  const term = screen.queryAllByRole('term').find(({ textContent }) => textContent === name)
  return term?.nextElementSibling?.textContent?.replaceAll('\u00a0', ' ') ?? null
}

test('a suspended company reads as on its own page, with deadline, price and credit', async () => {
  const sheet = await show({})
  await sheet.findByText('Suspenso')
  expect(sheet.queryByText('Expirado')).toBeNull()
  expect(fact('Situação')).toBe(
    'Suspensa: pague até 06/01/2027 às 12:00 para ter o plano de volta\nAté lá, valem os limites do plano gratuito.',
  )
  expect(fact('Preço')).toBe('R$ 99,90 · Mensal')
  expect(fact('Fim do período')).toBe('22/12/2026')
  expect(fact('Crédito')).toBe('R$ 12,50')
  expect([fact('Vencimento'), fact('Mudança agendada'), fact('Cancelada em')]).toEqual([null, null, null])
})

test('a scheduled change and a cancellation are seen', async () => {
  const next = { planName: 'Essencial', billingCycle: 'yearly', effectiveDate: '2026-12-22T15:00:00Z' }
  const sheet = await show({
    running: {
      ...running,
      status: 'canceled',
      nextBillingDate: '2026-12-22T15:00:00Z',
      canceledAt: '2026-11-25T12:00:00Z',
      cancelReason: 'Preço',
      pendingChange: next as never,
    },
  })
  await sheet.findByText('Cancelado')
  expect(fact('Vencimento')).toBe('22/12/2026')
  expect(fact('Mudança agendada')).toBe('Essencial · Anual, em 22/12/2026')
  expect(fact('Cancelada em')).toBe('25/11/2026')
  expect(fact('Motivo do cancelamento')).toBe('Preço')
})

test('of many people the numbers are written as Brazil writes them', async () => {
  const sheet = await show({ users: { total: 1234, active: 1200, admins: 2 } })
  await sheet.findByText('Descrição')
  expect(fact('Usuários')).toBe('1.234 (1.200 ativos, 2 administradores)')
})

test('a company that never had a plan says so', async () => {
  const sheet = await show({ running: null, subscription: null })
  await sheet.findByText('Sem assinatura')
  expect(fact('Crédito')).toBeNull()
})

test('the credit of a company that never had a plan is seen', async () => {
  const sheet = await show({ running: null, subscription: null, creditBalance: 99.9 })
  await sheet.findByText('Sem assinatura')
  expect(fact('Crédito')).toBe('R$ 99,90')
})

test('each payment leads to its sheet and says what went back of it', async () => {
  const payments = [
    { ...payment, refunded: 9990 },
    { ...payment, id: 'p2', refunded: 100, credited: true },
  ]
  const sheet = await show({ payments }, 'payments')
  await sheet.findByText('Reembolsado')
  sheet.getByText('Reembolsado em parte')
  sheet.getByText('Virou crédito')
  expect(sheet.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    '/admin/payments?company=c1',
    '/admin/payments?payment=p1',
    '/admin/payments?payment=p2',
  ])
  expect(sheet.queryByText('Os 20 mais recentes')).toBeNull()
})

test('where there may be more payments than the server sends, it says so', async () => {
  const payments = Array.from({ length: 20 }, (_, index) => ({ ...payment, id: `p${index}` }))
  const sheet = await show({ payments }, 'payments')
  await sheet.findByText('Os 20 mais recentes')
})

test('an open invitation is seen with its address and its end', async () => {
  const invites = [
    { id: 'i1', userEmail: 'bia@exmaple.com.br', role: 'finance' as const, expiresAt: '2026-11-28T12:00:00Z' },
  ]
  const sheet = await show({ invites }, 'members')
  await sheet.findByText('bia@exmaple.com.br')
  sheet.getByText('Financeiro')
  sheet.getByText('Expira em 28/11/2026, 09:00')
  expect(sheet.queryByText('Nenhum convite pendente')).toBeNull()
})

test('a company without an open invitation says so', async () => {
  const sheet = await show({ invites: [] }, 'members')
  const none = await sheet.findByText('Nenhum convite pendente')
  expect(none.closest('section')?.querySelector('ul')).toBeNull()
})

test('that a company has ended is heard, and nothing is to be tried again', async () => {
  const sheet = await show(null)
  await sheet.findByText('Empresa não encontrada')
  expect(announce).toHaveBeenCalledWith('Empresa não encontrada')
  expect(sheet.queryByRole('button', { name: 'Tentar Novamente' })).toBeNull()
})

/** As the page shows it: the company follows the server. */
function Followed() {
  const { data } = useQuery({ ...adminCompanyQuery('c1'), enabled: false })
  return <CompanyForm company={data ?? azul} onDone={() => undefined} onClose={() => undefined} />
}

function showForm(now: Partial<AdminCompanyDetail>) {
  vi.spyOn(api, 'GET').mockResolvedValue(answerOf({ company: { ...azul, ...now } }))
  const put = vi.spyOn(api, 'PUT')
  renderWith(askingCache(), <RouterProvider router={createMemoryRouter([{ path: '*', element: <Followed /> }])} />)
  return put
}

const change = (label: RegExp, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })

async function expectConflict(put: ReturnType<typeof showForm>) {
  fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
  await screen.findByText('O registro mudou desde que você o abriu. Atualize e tente novamente')
  expect(put).not.toHaveBeenCalled()
}

test('a description is not saved over one that another admin has saved since', async () => {
  const put = showForm({ description: 'Zona sul' })
  change(/^Descrição/, 'Zona norte')
  await expectConflict(put)
})

test.each(['Fraude', ''])(
  'a status is not saved over the reason that another admin gave for it: "%s"',
  async (reason) => {
    const put = showForm({ status: 'inactive', statusReason: 'Pedido da empresa' })
    change(/^Status/, 'inactive')
    change(/^Motivo/, reason)
    await expectConflict(put)
  },
)

test('after a conflict the form begins with what the other admin has saved', async () => {
  const put = showForm({ status: 'suspended', statusReason: 'Fraude' })
  change(/^Status/, 'inactive')
  await expectConflict(put)
  fireEvent.click(screen.getByRole('button', { name: 'Carregar os dados novos' }))
  expect(screen.getByLabelText<HTMLSelectElement>(/^Status/).value).toBe('suspended')
  expect(screen.queryByLabelText(/^Motivo/)).toBeNull()
  put.mockResolvedValue(answerOf({ company: azul }))
  change(/^Status/, 'inactive')
  fireEvent.click(screen.getByRole('button', { name: 'Salvar' }))
  await waitFor(() => expect(put.mock.calls[0]?.[1]).toMatchObject({ body: { status: 'inactive' } }))
})
