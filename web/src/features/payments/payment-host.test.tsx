// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react'
import { type QueryClient } from '@tanstack/react-query'
import { createMemoryRouter, RouterProvider, useNavigate } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { answerReads, order, payment } from '../../../test/checkout'
import { renderWith } from '../../../test/render'
import { api } from '../../api/client'
import { companyKeys, type Company } from '../../api/companies'
import { ApiError } from '../../api/errors'
import { paymentKeys, type Payment } from '../../api/payments'
import { CompanyProvider } from '../../auth/company'
import { askAboutOpenPayment, openCheckout, paymentDialog, showPayment } from '../../live/payment-dialog'
import { clearToasts, useToasts } from '../../ui/toast'
import { TooltipProvider } from '../../ui/tooltip'
import { PaymentHost } from './payment-host'

vi.mock('../../auth/use-session', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ id: 'u1', userName: 'Maria', userEmail: 'maria@exemplo.com.br', userRole: 'user' }),
}))

const company = { id: order.companyId, companyName: 'Ponto Central', userRole: 'admin', status: 'active' } as Company

const metadata = { planId: 'p1', billingCycle: 'monthly', changeType: 'creation' }
const createdAt = '2026-11-21T12:00:00Z'
const pix = payment({ paymentMethod: 'PIX', currency: 'brl', createdAt, metadata } as Partial<Payment>)

let queries: QueryClient
let router: ReturnType<typeof createMemoryRouter>

beforeEach(() => {
  queries = emptyCache()
  queries.setQueryData(companyKeys.list, [company])
  answerReads(pix)
})
afterEach(() => {
  cleanup()
  clearToasts()
})

function Layout() {
  const navigate = useNavigate()
  const { toasts } = useToasts()
  return (
    <CompanyProvider onLost={() => void navigate('/dashboard')}>
      <TooltipProvider>
        <PaymentHost />
      </TooltipProvider>
      {toasts.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </CompanyProvider>
  )
}

function show() {
  router = createMemoryRouter([{ path: '*', element: <Layout /> }], { initialEntries: ['/plans'] })
  renderWith(queries, <RouterProvider router={router} />)
}

/** A checkout with something typed into it. */
async function typed() {
  show()
  act(() => openCheckout(order, { method: 'PIX' }))
  fireEvent.change(await screen.findByLabelText('CPF ou CNPJ'), { target: { value: '111.444.777-35' } })
}

const barred = 'Você não pode mais pagar pela empresa Ponto Central'
const list = (companies: Company[]) =>
  act(async () => {
    queries.setQueryData(companyKeys.list, companies)
    // The cache tells of it a moment later.
    await new Promise((resolve) => setTimeout(resolve))
  })

// The first test of the file: afterwards the code is there.
test('while the code of a dialog is on its way, a dialog says so', async () => {
  show()
  act(() => openCheckout(order, { method: 'PIX' }))
  within(screen.getByRole('dialog', { name: 'Pagamento' })).getByText('Carregando pagamento...')
  await screen.findByLabelText('CPF ou CNPJ')
  expect(screen.getAllByRole('dialog')).toHaveLength(1)
})

test.each([
  ['the only company', []],
  ['one of several companies', [{ ...company, id: 'c2' }]],
])('whoever loses %s loses its payment dialog too, and is led away unasked', async (_, left) => {
  await typed()
  await list(left)
  expect(router.state.location.pathname).toBe('/dashboard')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.queryByRole('alertdialog')).toBeNull()
  expect(paymentDialog.get().kind).toBe('closed')
})

test.each<[string, Partial<Company>]>([
  ['is an operator now', { userRole: 'operator' }],
  ['has a suspended company', { status: 'suspended' }],
])('the checkout of a person who %s is closed, and a notice says so', async (_, change) => {
  await typed()
  await list([{ ...company, ...change }])
  screen.getByText(barred)
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(paymentDialog.get().kind).toBe('closed')
})

test('a payment that was made stays where its company is suspended, and closes for an operator', async () => {
  await typed()
  act(() => showPayment(order.companyId, 'pay1'))
  await list([{ ...company, status: 'suspended' }])
  expect(paymentDialog.get().kind).toBe('result')
  expect(screen.queryByText(barred)).toBeNull()
  await list([{ ...company, userRole: 'operator' }])
  screen.getByText(barred)
  expect(paymentDialog.get().kind).toBe('closed')
})

test('a payment that was made goes with its page, unless it is being cancelled', async () => {
  queries.setQueryData(paymentKeys.one(order.companyId, 'pay1'), pix)
  vi.spyOn(api, 'POST').mockReturnValue(new Promise(() => {}) as never)
  show()
  act(() => showPayment(order.companyId, 'pay1'))
  await screen.findByRole('heading', { name: 'Pagamento Pendente' })
  await act(() => router.navigate('/plans?cycle=yearly'))
  expect(paymentDialog.get().kind).toBe('result')
  await act(() => router.navigate('/dashboard'))
  expect(paymentDialog.get().kind).toBe('closed')
  act(() => showPayment(order.companyId, 'pay1'))
  fireEvent.click(await screen.findByRole('button', { name: 'Cancelar pagamento' }))
  fireEvent.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Cancelar pagamento' }))
  await act(() => router.navigate('/plans'))
  expect(paymentDialog.get().kind).toBe('result')
})

test('the question about an open payment goes with its page, unless that payment is being cancelled', async () => {
  queries.setQueryData(paymentKeys.one(order.companyId, 'pay1'), pix)
  vi.spyOn(api, 'POST').mockReturnValue(new Promise(() => {}) as never)
  show()
  const ask = async () => {
    act(() => askAboutOpenPayment({ companyId: order.companyId, paymentId: 'pay1', proceed: () => undefined }))
    await screen.findByText('Já existe um pagamento em aberto')
  }
  await ask()
  await act(() => router.navigate('/dashboard'))
  expect(paymentDialog.get().kind).toBe('closed')
  await ask()
  fireEvent.click(screen.getByRole('button', { name: 'Cancelar e continuar' }))
  await act(() => router.navigate('/plans'))
  expect(paymentDialog.get().kind).toBe('conflict')
})

test('an open payment whose cancellation came too often is not cancelled again before its time', async () => {
  queries.setQueryData(paymentKeys.one(order.companyId, 'pay1'), pix)
  vi.spyOn(api, 'POST').mockRejectedValue(new ApiError('RATE_LIMITED', { status: 429, retryAfter: 30 }))
  show()
  act(() => askAboutOpenPayment({ companyId: order.companyId, paymentId: 'pay1', proceed: () => undefined }))
  const cancel = await screen.findByRole('button', { name: 'Cancelar e continuar' })
  expect(cancel.hasAttribute('disabled')).toBe(false)
  fireEvent.click(cancel)
  await screen.findByText(/^Muitas tentativas\./)
  expect(cancel.hasAttribute('disabled')).toBe(true)
})

test.each([
  [false, 'Continuar sem o boleto, Pagar aquele', /vira crédito da empresa/],
  [true, 'Pagar aquele', /só pode ser feita depois que o boleto for pago ou deixar de valer/],
])('what costs nothing takes no place of an issued boleto: %s', async (costsNothing, offered, said) => {
  const boleto = { ...pix, paymentMethod: 'BANK_SLIP', bankSlipLine: '001' } as Payment
  answerReads(boleto)
  queries.setQueryData(paymentKeys.one(order.companyId, 'pay1'), boleto)
  show()
  act(() => askAboutOpenPayment({ companyId: order.companyId, paymentId: 'pay1', costsNothing, proceed: () => {} }))
  await screen.findByText(said)
  const buttons = screen.getAllByRole('button', { name: /Continuar|Pagar/ })
  expect(buttons.map(({ textContent }) => textContent).join(', ')).toBe(offered)
})
