// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ProviderRefusal } from '../../api/errors'
import type { Payment } from '../../api/payments'
import type { Minor } from '../../lib/money'
import { closePaymentDialog, usePaymentDialog, type Order } from '../../live/payment-dialog'
import type { CardGateway } from './card-gateway'
import { useCheckout, type CheckoutForm } from './use-checkout'

const order: Order = {
  companyId: 'c1',
  planId: 'p1',
  planName: 'Essencial',
  billingCycle: 'monthly',
  changeType: 'creation',
  amount: 4990 as Minor,
  quoteId: 'q1',
}
const payer = { id: 'u1', name: 'Maria', email: 'maria@exemplo.com.br', document: '11144477735' }
const pix: CheckoutForm = { method: 'PIX', savedCard: null, saveCard: false }
const card: CheckoutForm = { method: 'CREDIT_CARD', savedCard: null, saveCard: true }
const payment = (rest: Partial<Payment> = {}) =>
  ({ id: 'pay1', companyId: 'c1', status: 'PENDING', amount: 4990, version: 1, ...rest }) as Payment

interface Sent {
  path: string
  key: string | null
  body: Record<string, unknown>
}

let sent: Sent[]
let answers: (() => Response)[]

const ok = (data: object) => () => Response.json({ success: true, data }, { status: 201 })
const refusal =
  (status: number, code: string, fields = {}) =>
  () =>
    Response.json({ success: false, error: { code, message: '', fields, requestId: 'r1' } }, { status })
const lost = () => {
  throw new TypeError('Failed to fetch')
}
const processed = () => sent.filter(({ path }) => path === '/api/payments/process')

const gateway = (confirm: () => Promise<string>): CardGateway => ({
  createPaymentMethod: async () => 'pm_1',
  confirmCardPayment: confirm,
  resumeCardPayment: confirm,
})

function mount() {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>{children}</QueryClientProvider>
  )
  return renderHook(() => ({ checkout: useCheckout(order, payer, false), dialog: usePaymentDialog() }), { wrapper })
    .result
}

/** Pays and lets every wait between two questions pass. */
async function pay(result: ReturnType<typeof mount>, form: CheckoutForm, by: CardGateway | null = null) {
  await act(async () => {
    const paying = result.current.checkout.pay(form, by)
    await vi.advanceTimersByTimeAsync(120_000)
    await paying
  })
}

beforeEach(() => {
  vi.useFakeTimers()
  sent = []
  answers = []
  vi.stubGlobal('fetch', async (request: Request) => {
    const body = request.method === 'POST' ? ((await request.json()) as Record<string, unknown>) : {}
    sent.push({ path: new URL(request.url).pathname, key: request.headers.get('idempotency-key'), body })
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (!answer) throw new Error('no answer left')
    return answer()
  })
})

afterEach(() => {
  cleanup()
  closePaymentDialog()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('a PIX payment', () => {
  test('sends what is paid for and opens the result', async () => {
    answers = [ok({ payment: payment() })]
    const result = mount()
    await pay(result, pix)
    expect(processed()).toHaveLength(1)
    expect(processed()[0]?.body).toMatchObject({
      amount: 4990,
      currency: 'brl',
      paymentMethod: { type: 'PIX' },
      customer: payer,
      metadata: { companyId: 'c1', planId: 'p1', billingCycle: 'monthly', changeType: 'creation', quoteId: 'q1' },
    })
    expect(result.current.dialog).toMatchObject({ kind: 'result', paymentId: 'pay1' })
  })

  test('asks again with the same key while the answer is lost', async () => {
    answers = [lost, lost, lost, refusal(409, 'REQUEST_IN_PROGRESS'), ok({ payment: payment() })]
    const result = mount()
    await pay(result, pix)
    expect(processed()).toHaveLength(5)
    expect(new Set(processed().map(({ key }) => key)).size).toBe(1)
    expect(result.current.dialog).toMatchObject({ kind: 'result' })
  })

  test('asks nine times at the most, and says meanwhile that it is checking', async () => {
    answers = [lost]
    const result = mount()
    await act(async () => {
      void result.current.checkout.pay(pix, null)
      await vi.advanceTimersByTimeAsync(100)
    })
    expect(result.current.checkout.busy).toBe('Verificando o pagamento...')
    await act(() => vi.advanceTimersByTimeAsync(120_000))
    expect(processed()).toHaveLength(9)
    expect(result.current.checkout.busy).toBeNull()
  })

  test('keeps the key when the person asks again after giving up', async () => {
    answers = [lost]
    const result = mount()
    await pay(result, pix)
    expect(result.current.checkout.error).toMatchObject({
      title: 'Erro ao processar pagamento',
      sentence: 'Erro de conexão. Verifique sua internet',
    })
    answers = [ok({ payment: payment() })]
    await pay(result, pix)
    expect(new Set(processed().map(({ key }) => key)).size).toBe(1)
  })

  test('puts the expected amount into the total and pays it under a new key', async () => {
    answers = [refusal(409, 'AMOUNT_MISMATCH', { expected: 5990 }), ok({ payment: payment() })]
    const result = mount()
    await pay(result, pix)
    expect(result.current.checkout.total).toBe(5990)
    expect(result.current.checkout.error?.sentence).toBe('O valor foi atualizado. Confira e confirme novamente')
    expect(result.current.dialog.kind).toBe('closed')
    await pay(result, pix)
    expect(processed()[1]?.body.amount).toBe(5990)
    expect(processed()[1]?.key).not.toBe(processed()[0]?.key)
  })

  test('announces the payment that is already under way, and goes on with this one if it is asked to', async () => {
    answers = [refusal(409, 'PAYMENT_IN_PROGRESS', { paymentId: 'other' })]
    const result = mount()
    await pay(result, pix)
    const { dialog } = result.current
    expect(dialog).toMatchObject({ kind: 'taken', paymentId: 'other' })
    act(() => {
      if (dialog.kind === 'taken') dialog.proceed(true)
    })
    expect(result.current.dialog).toMatchObject({ kind: 'checkout', order, method: 'PIX', replace: true })
  })

  test('names the version of the sentence only with a card that is saved', async () => {
    answers = [refusal(422, 'VALIDATION_ERROR', { renewalConsent: 'INVALID' }), ok({ payment: payment() })]
    const result = mount()
    await pay(
      result,
      { ...card, consent: '2026-11' },
      gateway(async () => 'succeeded'),
    )
    expect(processed()[0]?.body).toMatchObject({ saveMethod: true, renewalConsent: '2026-11' })
    expect(result.current.checkout.error?.sentence).toBe(
      'O texto da autorização mudou. Leia o novo texto e confirme novamente.',
    )
    await pay(result, { ...pix, consent: '2026-11' })
    expect(processed()[1]?.body.renewalConsent).toBeUndefined()
  })

  test('gives an outage back to the person after the ordinary repeats', async () => {
    answers = [refusal(503, 'PROVIDER_UNAVAILABLE')]
    const result = mount()
    await pay(result, pix)
    expect(processed()).toHaveLength(3)
    expect(result.current.checkout.error?.sentence).toBe('Sistema de pagamento indisponível')
  })
})

describe('a card payment', () => {
  test('is confirmed with the client secret and read at the server', async () => {
    answers = [
      ok({ payment: payment({ paymentMethod: 'CREDIT_CARD' }), client_secret: 'pi_1_secret_2' }),
      ok({ payment: payment({ status: 'SUCCESS', version: 2 }) }),
    ]
    const confirm = vi.fn(async () => 'succeeded')
    const result = mount()
    await pay(result, card, gateway(confirm))
    expect(confirm).toHaveBeenCalledWith('pi_1_secret_2')
    expect(processed()[0]?.body).toMatchObject({
      payment_method: 'pm_1',
      saveMethod: true,
      metadata: { source: 'card_element' },
    })
    expect(sent.at(-1)?.path).toBe('/api/payments/status/pay1')
    expect(result.current.dialog).toMatchObject({ kind: 'result', paymentId: 'pay1' })
  })

  test.each([
    [
      'the provider refuses',
      () => Promise.reject(new ProviderRefusal('insufficient_funds', 'Your card has insufficient funds.')),
      { code: 'insufficient_funds' },
    ],
    [
      'the provider stops without a verdict',
      async () => 'requires_payment_method',
      { message: 'Payment status: requires_payment_method' },
    ],
  ])('carries the refusal into the result when %s', async (_, confirm, expected) => {
    answers = [
      ok({ payment: payment({ paymentMethod: 'CREDIT_CARD' }), client_secret: 'pi_1_secret_2' }),
      ok({ payment: payment({ version: 2 }) }),
    ]
    const result = mount()
    await pay(result, card, gateway(confirm))
    expect(result.current.dialog).toMatchObject({ kind: 'result', refusal: expected })
  })

  test('without a client secret is a refusal of its own', async () => {
    answers = [ok({ payment: payment({ paymentMethod: 'CREDIT_CARD' }) }), ok({ payment: payment({ version: 2 }) })]
    const result = mount()
    await pay(
      result,
      card,
      gateway(async () => 'succeeded'),
    )
    expect(result.current.dialog).toMatchObject({ refusal: { message: 'No client secret received' } })
  })

  test.each(['processing', 'requires_action'])('that is %s is no refusal', async (status) => {
    answers = [
      ok({ payment: payment({ paymentMethod: 'CREDIT_CARD' }), client_secret: 'pi_1_secret_2' }),
      ok({ payment: payment({ status: 'PROCESSING', version: 2 }) }),
    ]
    const result = mount()
    await pay(
      result,
      card,
      gateway(async () => status),
    )
    expect(result.current.dialog).toMatchObject({ kind: 'result', refusal: undefined })
  })

  test('refused before anything was sent stays in the form', async () => {
    const result = mount()
    await pay(result, card, {
      createPaymentMethod: () =>
        Promise.reject(new ProviderRefusal('incorrect_number', 'Your card number is incorrect.')),
      confirmCardPayment: async () => '',
      resumeCardPayment: async () => '',
    })
    expect(sent).toEqual([])
    expect(result.current.checkout.error).toMatchObject({
      title: 'Pagamento falhou. Tente novamente.',
      sentence: 'O número do cartão está incorreto.',
    })
  })
})
