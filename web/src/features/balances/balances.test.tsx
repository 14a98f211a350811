// @vitest-environment happy-dom
import { fireEvent, screen, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderAt } from '../../../test/render'
import type { Company } from '../../api/companies'
import { ApiError } from '../../api/errors'
import type { CompanyPageProps } from '../../auth/company-page'
import { BalancesPage } from './balances'

const { get, company } = vi.hoisted(() => ({ get: vi.fn(), company: { id: 'c1', userRole: 'finance' } }))
vi.mock('../../api/client', () => ({ api: { GET: get }, unwrap: (answer: unknown) => answer }))
vi.mock('../../auth/company-page', () => ({
  CompanyPage: ({ mayRead, children }: CompanyPageProps) =>
    mayRead?.(company as Company) ? children(company as Company) : <p>forbidden</p>,
}))

const entry = (id: string, rest: object) => ({ id, at: '2026-11-21T15:00:00Z', planName: 'Essencial', ...rest })
const late = entry('e1', {
  kind: 'unapplied_payment',
  amount: 9990,
  balance: 9990,
  method: 'BANK_SLIP',
  paymentId: 'p1',
  invoiceId: 'p1',
})
const used = entry('e2', { kind: 'used', amount: -4990, balance: 5000, change: 'renewal', invoiceId: 'i4' })

function show(address = '/balances') {
  window.history.replaceState(null, '', address)
  renderAt(address, <BalancesPage />)
}
const asked = () => get.mock.calls.map(([, { params }]) => params.query)

beforeEach(() => {
  get.mockReset()
  company.userRole = 'finance'
})

test('the balance stands on top, and each entry says what moved it and leads to what tells more', async () => {
  get.mockResolvedValueOnce({ balance: 5000, entries: [used], next: 'e2' })
  get.mockResolvedValueOnce({ balance: 5000, entries: [late], next: null })
  show()
  expect(await screen.findByText('Crédito usado na renovação')).toBeTruthy()
  expect(within(screen.getByLabelText('Saldo atual')).getByText('R$ 50,00')).toBeTruthy()
  expect(screen.getByRole('link', { name: /^Fatura:/ }).getAttribute('href')).toBe('/invoices/i4')
  expect(screen.queryByRole('link', { name: /^Pagamento:/ })).toBeNull()
  screen.getByRole('button', { name: 'Carregar mais' }).focus()
  fireEvent.click(screen.getByRole('button', { name: 'Carregar mais' }))
  expect(await screen.findByText('Pagamento atrasado ou em dobro')).toBeTruthy()
  expect(screen.getByRole('link', { name: /^Pagamento:/ }).getAttribute('href')).toBe('/payments/p1')
  expect(screen.queryByRole('button', { name: 'Carregar mais' })).toBeNull()
  expect(document.activeElement?.textContent).toBe('Fim da lista')
  expect(asked()).toEqual([{ limit: 20 }, { limit: 20, before: 'e2' }])
})

test('days are asked for, and the filter can be taken away', async () => {
  get.mockResolvedValue({ balance: 0, entries: [], next: null })
  show('/balances?from=2026-11-01&to=2026-11-30')
  expect(await screen.findByText('Nenhuma movimentação encontrada')).toBeTruthy()
  expect(asked()).toEqual([{ limit: 20, from: '2026-11-01', to: '2026-11-30' }])
  fireEvent.click(screen.getByRole('button', { name: 'Limpar filtros' }))
  expect(await screen.findByText(/^Créditos aparecem aqui/)).toBeTruthy()
})

test.each([
  [5000, /^Será abatido das próximas cobranças/],
  [0, 'Nenhum crédito a usar.'],
  [-30, /entra na próxima cobrança/],
])('a balance of %d says what it means', async (balance, note) => {
  get.mockResolvedValue({ balance, entries: [], next: null })
  show()
  expect(await screen.findByText(note)).toBeTruthy()
})

test('a failure can be tried again', async () => {
  get.mockRejectedValueOnce(new ApiError('NETWORK_ERROR'))
  get.mockResolvedValueOnce({ balance: 9990, entries: [late], next: null })
  show()
  fireEvent.click(await screen.findByRole('button', { name: 'Tentar Novamente' }))
  expect(await screen.findByText('Pagamento atrasado ou em dobro')).toBeTruthy()
})

test('an operator is asked nothing and told so', () => {
  company.userRole = 'operator'
  show()
  expect(screen.getByText('forbidden')).toBeTruthy()
  expect(get).not.toHaveBeenCalled()
})
