// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderAt } from '../../../test/render'
import type { Company } from '../../api/companies'
import { ApiError } from '../../api/errors'
import type { CompanyPageProps } from '../../auth/company-page'
import { AnalyticsPage } from './analytics'

const { get, company } = vi.hoisted(() => ({ get: vi.fn(), company: { id: 'c1', userRole: 'finance' } }))
vi.mock('../../api/client', () => ({ api: { GET: get }, unwrap: (answer: unknown) => answer }))
vi.mock('../../auth/company-page', () => ({
  CompanyPage: ({ mayRead, children }: CompanyPageProps) =>
    mayRead?.(company as Company) ? children(company as Company) : <p>forbidden</p>,
}))

const month = { month: '2026-11', paid: 19_980, refunded: 990, payments: 2, failed: 1 }
const spending = {
  months: [{ ...month, month: '2026-10', paid: 0, refunded: 0, payments: 0, failed: 0 }, month],
  plans: [{ planName: 'Profissional', paid: 19_980, months: [0, 19_980] }],
  methods: [{ method: 'PIX', paid: 19_980, payments: 2 }],
  failures: [{ reason: 'expired_card', attempts: 1 }],
}
const detail = { company: { id: 'c1', users: [{}, {}], invites: [{}], maxUsers: 5, userRole: 'finance' } }

function answers(figures: () => Promise<unknown>) {
  get.mockImplementation((path: string) => (path.endsWith('/spending') ? figures() : Promise.resolve(detail)))
}

function show(address = '/analytics') {
  window.history.replaceState(null, '', address)
  renderAt(address, <AnalyticsPage />)
}

beforeEach(() => {
  get.mockReset()
  company.userRole = 'finance'
})

test('every chart has its finding and its figures as a table, and the seats are told', async () => {
  answers(() => Promise.resolve(spending))
  show('/analytics?months=3')
  expect(await screen.findByText(/^R\$\s199,80 pagos de out\/26 a nov\/26$/)).toBeTruthy()
  expect(screen.getByText(/^Profissional: R\$\s199,80/)).toBeTruthy()
  expect(screen.getByText(/^Maior valor: PIX,/)).toBeTruthy()
  expect(screen.getByText(/^1 tentativa recusada/)).toBeTruthy()
  for (const button of screen.getAllByRole('button', { name: 'Ver como tabela' })) fireEvent.click(button)
  for (const name of ['Gasto por mês', 'Gasto por plano e mês', 'Formas de pagamento', 'Motivos das recusas'])
    expect(screen.getByRole('table', { name })).toBeTruthy()
  expect(screen.getByText('O cartão está vencido.')).toBeTruthy()
  expect(screen.getByText('3 de 5 usuários, contando 1 convite')).toBeTruthy()
  expect(get.mock.calls.find(([path]) => path.endsWith('/spending'))?.[1].params.query).toEqual({ months: 3 })
})

test('a period without payments says so', async () => {
  const months = spending.months.slice(0, 1)
  answers(() => Promise.resolve({ months, plans: [], methods: [], failures: [] }))
  show()
  expect(await screen.findByText('Nenhum pagamento neste período')).toBeTruthy()
})

test('a failure can be tried again', async () => {
  answers(() => Promise.reject(new ApiError('NETWORK_ERROR')))
  show('/analytics?months=5')
  expect(await screen.findByText('Erro ao carregar análises')).toBeTruthy()
  expect(get.mock.calls.find(([path]) => path.endsWith('/spending'))?.[1].params.query).toEqual({ months: 12 })
})

test('an operator is asked nothing and told so', () => {
  company.userRole = 'operator'
  show()
  expect(screen.getByText('forbidden')).toBeTruthy()
  expect(get).not.toHaveBeenCalled()
})
