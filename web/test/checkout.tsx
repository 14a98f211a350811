// A checkout whose server is in the hands of a test of `features/payments`.
import { act, cleanup, renderHook } from '@testing-library/react'
import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, vi } from 'vitest'
import { api } from '../src/api/client'
import { ApiError } from '../src/api/errors'
import type { Payment } from '../src/api/payments'
import type { CardGateway } from '../src/features/payments/card-gateway'
import { useCheckout, type CheckoutForm } from '../src/features/payments/use-checkout'
import { closePaymentDialog, usePaymentDialog, type Order } from '../src/live/payment-dialog'
import { askingCache } from './render'

export const order: Order = {
  companyId: 'c1',
  planId: 'p1',
  planName: 'Essencial',
  billingCycle: 'monthly',
  changeType: 'creation',
  amount: 4990,
  quoteId: 'q1',
}
export const payer = { id: 'u1', name: 'Maria', email: 'maria@exemplo.com.br', document: '11144477735' }
export const pix: CheckoutForm = { method: 'PIX', savedCard: null, saveCard: false }
export const card: CheckoutForm = { method: 'CREDIT_CARD', savedCard: null, saveCard: true }
export const payment = (rest: Partial<Payment> = {}) =>
  ({ id: 'pay1', companyId: 'c1', status: 'PENDING', amount: 4990, version: 1, ...rest }) as Payment

const provider = {
  name: 'stripe',
  publishableKey: 'pk_test_sandbox',
  sandbox: true,
  methods: [{ type: 'PIX', available: true, minAmount: 50, requiredFields: ['taxId'] }],
}

/**
 * What the dialogs of payments read: PIX alone is offered, nothing is known of the payer, and nothing was bought. The
 * one payment that was made has no document.
 */
export function answerReads(made = payment()) {
  vi.spyOn(api, 'GET').mockImplementation(((path: string) => {
    if (path.includes('/invoices/')) return Promise.reject(new ApiError('NOT_FOUND', { status: 404 }))
    const data = path.endsWith('/providers')
      ? { providers: [provider] }
      : path.endsWith('/me')
        ? { user: { id: 'u1', userDocument: '' } }
        : { payment: made, methods: [], billingProfile: null, subscription: null, plans: [] }
    return Promise.resolve({ data: { success: true, data }, response: new Response() })
  }) as never)
}

interface Sent {
  path: string
  key: string | null
  body: Record<string, unknown>
}

class FakeServer {
  sent: Sent[] = []
  /** One for each request; the last one stays. */
  answers: (() => Response)[] = []

  processed = () => this.sent.filter(({ path }) => path === '/api/payments/process')

  fetch = async (request: Request) => {
    const text = await request.text()
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
    this.sent.push({ path: new URL(request.url).pathname, key: request.headers.get('idempotency-key'), body })
    const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0]
    if (!answer) throw new Error('no answer left')
    return answer()
  }
}

export const ok = (data: object) => () => Response.json({ success: true, data }, { status: 201 })
export const refusal =
  (status: number, code: string, fields = {}) =>
  () =>
    Response.json({ success: false, error: { code, message: '', fields, requestId: 'r1' } }, { status })
export const lost = () => {
  throw new TypeError('Failed to fetch')
}

export const gateway = (confirm: () => Promise<string>): CardGateway => ({
  createPaymentMethod: async () => 'pm_1',
  confirmCardPayment: confirm,
  resumeCardPayment: confirm,
  setUpCard: confirm,
})

/** Each test of the file has a server and a clock of its own. */
export function withFakeServer(): { server: FakeServer } {
  const own = { server: new FakeServer() }
  beforeEach(() => {
    vi.useFakeTimers()
    own.server = new FakeServer()
    vi.stubGlobal('fetch', own.server.fetch)
  })
  afterEach(() => {
    cleanup()
    closePaymentDialog()
  })
  return own
}

export function mount(queries = askingCache()) {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>{children}</QueryClientProvider>
  )
  return renderHook(() => ({ checkout: useCheckout(order, payer, false), dialog: usePaymentDialog(), queries }), {
    wrapper,
  }).result
}

/** Pays and lets every wait between two questions pass. */
export async function pay(result: ReturnType<typeof mount>, form: CheckoutForm, by: CardGateway | null = null) {
  await act(async () => {
    const paying = result.current.checkout.pay(form, by)
    await vi.advanceTimersByTimeAsync(120_000)
    await paying
  })
}
