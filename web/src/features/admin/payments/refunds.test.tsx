// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { QueryClient } from '@tanstack/react-query'
import { describe, expect, test, vi } from 'vitest'
import { answerOf } from '../../../../test/answer'
import { renderWith } from '../../../../test/render'
import { api } from '../../../api/client'
import type { AdminPaymentDetail, Refund } from '../../../api/admin-payments'
import { ApiError } from '../../../api/errors'
import { problemOf } from './refund-dialog'
import { refusalText, Refunds } from './refunds'

const refund: Refund = {
  id: 'r1',
  paymentId: 'p1',
  state: 'accepted',
  amount: 990,
  reason: 'Cobrado a mais',
  requestedBy: 'Rita Suporte',
  createdAt: '2026-11-21T13:00:00Z',
}

const payment = (rest: Partial<AdminPaymentDetail> = {}) =>
  ({
    id: 'p1',
    companyName: 'Ponto Central',
    currency: 'brl',
    amount: 9990,
    refundable: 9990,
    refunds: [],
    ...rest,
  }) as AdminPaymentDetail

interface Sent {
  key: string
  body: unknown
}
let sent: Sent[] = []

/** What the server answers, one after the other: a refund, or the code of a refusal with its status. */
function show(detail: AdminPaymentDetail, answers: (Refund | [status: number, code: string])[] = []) {
  sent = []
  vi.spyOn(api, 'POST').mockImplementation(((_: string, init: { headers: Record<string, string>; body: unknown }) => {
    sent.push({ key: init.headers['idempotency-key'] ?? '', body: init.body })
    const answer = answers.shift()
    if (answer && !Array.isArray(answer)) return Promise.resolve(answerOf({ refund: answer }))
    const [status, code] = answer ?? [500, 'INTERNAL_ERROR']
    return Promise.reject(new ApiError(code, { status }))
  }) as never)
  const queries = new QueryClient({ defaultOptions: { mutations: { retry: false } } })
  renderWith(queries, <Refunds payment={detail} />)
}

async function ask(reason: string, amount?: string) {
  fireEvent.click(screen.getByRole('button', { name: 'Reembolsar' }))
  const dialog = await screen.findByRole('alertdialog', { name: 'Reembolsar Ponto Central?' })
  if (amount) fireEvent.change(within(dialog).getByLabelText(/^Valor/), { target: { value: amount } })
  fireEvent.change(within(dialog).getByLabelText(/^Motivo/), { target: { value: reason } })
  return within(dialog)
}

const act = (dialog: ReturnType<typeof within>) => fireEvent.click(dialog.getByRole('button', { name: /^Reembolsar/ }))

describe('the refunds of a payment', () => {
  test('each says its state, who asked and why', () => {
    show(payment({ refunds: [refund, { ...refund, id: 'r2', state: 'refused', refusal: 'charge_disputed' }] }))
    screen.getByText('Aceito pelo provedor')
    screen.getByText('Recusado')
    expect(screen.getAllByText('Cobrado a mais')).toHaveLength(2)
    screen.getByText(/Rita Suporte · código charge_disputed/)
  })
  test('one that the provider had accepted says that it failed after that', () => {
    show(payment({ refunds: [{ ...refund, state: 'refused', providerRefund: 're_1', refusal: 'declined' }] }))
    screen.getByText('Recusado depois de aceito')
    screen.getByText(/código declined/)
  })
  test.each([
    ['METHOD', /não reembolsa boletos/],
    ['TOO_LATE', /prazo do provedor/],
    ['DISPUTED', /contestação está em análise, ou o banco já decidiu/],
    ['NOTHING_LEFT', /Não há mais valor/],
  ] as const)('%s is said in the place of the button', (refundBlock, words) => {
    show(payment({ refundBlock, refundable: 0 }))
    screen.getByText(words)
    expect(screen.queryByRole('button', { name: 'Reembolsar' })).toBeNull()
  })
  test('of what was not paid nothing is said', () => {
    show(payment({ refundBlock: 'NOT_PAID', refundable: 0 }))
    expect(screen.queryByText('Reembolsos')).toBeNull()
  })
})

describe('the question before a refund', () => {
  test('offers all that is left, says what stays, and asks for a reason', async () => {
    show(payment(), [refund])
    const dialog = await ask(' ')
    dialog.getByText(/O plano e o crédito da empresa continuam como estão/)
    act(dialog)
    await dialog.findByText('Este campo é obrigatório')
    expect(sent).toEqual([])
    fireEvent.change(dialog.getByLabelText(/^Motivo/), { target: { value: ' Pedido ' } })
    act(dialog)
    await waitFor(() => expect(sent.map(({ body }) => body)).toEqual([{ amount: 9990, reason: 'Pedido' }]))
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  })
  test('the marks of a copied phone number are no part of the reason', async () => {
    show(payment(), [refund])
    act(await ask('Pedido de \u202a+55 11 98765-4321\u202c'))
    await waitFor(() => expect(sent.map(({ body }) => body)).toMatchObject([{ reason: 'Pedido de +55 11 98765-4321' }]))
  })
  test('an amount above what is left is refused before it is sent', async () => {
    show(payment({ refundable: 5000 }))
    const dialog = await ask('Pedido', '50,01')
    act(dialog)
    dialog.getByText(/O máximo é R\$\s50,00/)
    expect(sent).toEqual([])
  })
  test('a repeat after no answer keeps its key, one after a refusal takes a new one', async () => {
    show(payment(), [[503, 'PROVIDER_UNAVAILABLE'], [409, 'REFUND_EXCEEDS_PAYMENT'], { ...refund, state: 'pending' }])
    const dialog = await ask('Pedido')
    act(dialog)
    await dialog.findByText('Sistema de pagamento indisponível')
    act(dialog)
    await dialog.findByText('O valor passa do que ainda pode ser reembolsado')
    act(dialog)
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    const [first, second, third] = sent.map(({ key }) => key)
    expect(second).toBe(first)
    expect(third).not.toBe(first)
  })
})

test('amounts and refusals in words', () => {
  expect(problemOf(0, 100, 'brl')).toBe('Informe o valor a reembolsar')
  expect(problemOf(100, 100, 'brl')).toBeUndefined()
  expect(refusalText('unsent')).toBe('o provedor não respondeu e nada foi enviado')
  expect(refusalText('lost')).toBe('não chegou ao provedor')
})
