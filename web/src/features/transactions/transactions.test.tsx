// @vitest-environment happy-dom
import { fireEvent, screen, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderAt } from '../../../test/render'
import type { Company } from '../../api/companies'
import { ApiError } from '../../api/errors'
import type { CompanyPageProps } from '../../auth/company-page'
import { TransactionsPage } from './transactions'

const { get, company } = vi.hoisted(() => ({ get: vi.fn(), company: { id: 'c1', userRole: 'finance' } }))
vi.mock('../../api/client', () => ({ api: { GET: get }, unwrap: (answer: unknown) => answer }))
vi.mock('../../auth/company-page', () => ({
  CompanyPage: ({ mayRead, children }: CompanyPageProps) =>
    mayRead?.(company as Company) ? children(company as Company) : <p>forbidden</p>,
}))

const plan = { at: '2026-11-21T15:00:00Z', planName: 'Essencial', billingCycle: 'monthly', method: 'PIX' }
const charge = { ...plan, id: 'p1', kind: 'charge', amount: 4990, status: 'SUCCESS', paymentId: 'p1', invoiceId: 'p1' }
const refused = { ...plan, id: 'p0', kind: 'attempt', amount: 4990, failureCode: 'expired_card', paymentId: 'p0' }
const refund = { ...plan, id: 'r1', kind: 'refund', amount: 990, paymentId: 'p1', invoiceId: 'r1' }
const answer = (transactions: object[]) => ({
  transactions,
  total: transactions.length,
  page: 1,
  paid: 4990,
  refunded: 990,
  credited: 0,
  creditUsed: 0,
  failed: 1,
})

function show(address = '/transactions') {
  window.history.replaceState(null, '', address)
  renderAt(address, <TransactionsPage />)
}

beforeEach(() => {
  get.mockReset()
  company.userRole = 'finance'
})

test('each line says what moved and leads to its payment and its document', async () => {
  get.mockResolvedValue(answer([refund, charge, refused]))
  show()
  const [back, paid, tried] = (await screen.findAllByRole('row')).slice(1)
  expect(within(back as HTMLElement).getByText('-R$ 9,90')).toBeTruthy()
  expect(
    within(back as HTMLElement)
      .getByRole('link', { name: /^Fatura:/ })
      .getAttribute('href'),
  ).toBe('/invoices/r1')
  expect(within(paid as HTMLElement).getByText('R$ 49,90')).toBeTruthy()
  expect(within(tried as HTMLElement).getByText(/O cartão está vencido/)).toBeTruthy()
  expect(within(tried as HTMLElement).queryByRole('link', { name: /^Fatura:/ })).toBeNull()
  expect(screen.getByText('Tentativas recusadas').parentElement?.textContent).toContain('1')
})

test('the filter of the address is asked for, without what it names wrongly', async () => {
  get.mockResolvedValue(answer([]))
  show('/transactions?kind=charge&search=pix&from=2026-13-01&page=2')
  expect(await screen.findByText('Nenhuma transação encontrada')).toBeTruthy()
  expect(get.mock.calls[0]?.[1].params.query).toEqual({ page: 2, limit: 20, kind: 'charge', search: 'pix' })
  fireEvent.click(screen.getByRole('button', { name: 'Limpar filtros' }))
  expect(await screen.findByText('As transações aparecem com o primeiro pagamento')).toBeTruthy()
})

test('a page behind the last one leads to the last one and claims no emptiness', async () => {
  get.mockImplementation((_: string, { params }: { params: { query: { page: number } } }) =>
    Promise.resolve({ ...answer(params.query.page === 2 ? [charge] : []), total: 21 }),
  )
  show('/transactions?page=9')
  expect(await screen.findByText('Essencial · Mensal')).toBeTruthy()
  expect(screen.getByText('Página 2 de 2')).toBeTruthy()
  expect(screen.queryByText('As transações aparecem com o primeiro pagamento')).toBeNull()
})

test('a failure can be tried again', async () => {
  get.mockRejectedValueOnce(new ApiError('NETWORK_ERROR'))
  get.mockResolvedValueOnce(answer([charge]))
  show()
  fireEvent.click(await screen.findByRole('button', { name: 'Tentar Novamente' }))
  expect(await screen.findByText('Essencial · Mensal')).toBeTruthy()
})

test('an operator is asked nothing and told so', () => {
  company.userRole = 'operator'
  show()
  expect(screen.getByText('forbidden')).toBeTruthy()
  expect(get).not.toHaveBeenCalled()
})
