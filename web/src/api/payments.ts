// The calls of `/api/payments` and their cache keys. Money here is integer minor units of a lowercase currency.
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query'
import type { PaymentStatus } from '../lib/labels'
import { api, sendWithoutRetries, unwrap, type Schemas } from './client'
import { ApiError } from './errors'
import { keepNewest, writeNewer } from './newest'
import type { PaymentMethod } from './payment-methods'
import { isUnanswered, paymentRetryDelay, withRetries } from './retries'

/** `transactionId` is the provider's intent, present as soon as the provider answered. */
export type Payment = Schemas['Payment']
export type FailureCode = Schemas['FailureCode']
export type BillingDetails = Schemas['Billing']
/**
 * `payment_method` is a card; PIX and boleto are named by `paymentMethod`. `replace` takes the place of an open
 * payment.
 */
export type PaymentRequest = Schemas['ProcessPayment']
/** `apiBase` is where the browser reaches the sandbox. */
export type Provider = Schemas['Provider']
export type OfferedMethod = Schemas['OfferedMethod']
export type SavedCard = Schemas['PaymentMethodView']
type PaymentPage = Schemas['Payments']

export interface PaymentFilter {
  status?: PaymentStatus | undefined
  method?: PaymentMethod | undefined
  search?: string | undefined
  /** Calendar days, both included. */
  from?: string | undefined
  to?: string | undefined
}

export const paymentKeys = {
  ofCompany: (companyId: string) => ['payments', companyId] as const,
  one: (companyId: string, paymentId: string) => ['payments', companyId, 'one', paymentId] as const,
  methods: (companyId: string) => ['payment-methods', companyId] as const,
  providers: ['payment-providers'] as const,
}

export function paymentQuery(companyId: string, paymentId: string) {
  return queryOptions({
    queryKey: paymentKeys.one(companyId, paymentId),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/payments/status/{id}', { params: { path: { id: paymentId } }, signal })).then(
        ({ payment }) => payment,
      ),
    structuralSharing: keepNewest,
  })
}

export function paymentsPage(
  companyId: string,
  filter: PaymentFilter,
  page: number,
  limit: number,
  signal?: AbortSignal,
): Promise<PaymentPage> {
  return unwrap(
    api.GET('/api/payments/company/{companyId}', {
      params: { path: { companyId }, query: { page, limit, ...filter } },
      signal,
    }),
  )
}

export function paymentsQuery(companyId: string, filter: PaymentFilter, page: number, limit = 10) {
  return queryOptions({
    queryKey: [...paymentKeys.ofCompany(companyId), 'list', filter, page, limit],
    queryFn: ({ signal }) => paymentsPage(companyId, filter, page, limit, signal),
    placeholderData: keepPreviousData,
  })
}

export function providersQuery() {
  return queryOptions({
    queryKey: paymentKeys.providers,
    queryFn: ({ signal }) => unwrap(api.GET('/api/payments/providers', { signal })).then(({ providers }) => providers),
    staleTime: 5 * 60_000,
  })
}

export function savedCardsQuery(companyId: string) {
  return queryOptions({
    queryKey: paymentKeys.methods(companyId),
    queryFn: ({ signal }) =>
      methodsOf(unwrap(api.GET('/api/payments/methods/{companyId}', { params: { path: { companyId } }, signal }))),
  })
}

/**
 * Begins a payment. The card's client secret comes with the answer to its payer and with nothing else. While no answer
 * comes, the server is asked again with the same key; `onUnanswered` is called before each wait.
 */
export function processPayment(
  body: PaymentRequest,
  key: string,
  onUnanswered: () => void,
): Promise<Schemas['StartedPayment']> {
  const send = () =>
    unwrap(api.POST('/api/payments/process', { headers: { 'idempotency-key': key }, body, fetch: sendWithoutRetries }))
  return withRetries(send, (outcome, tries) => {
    if (!(outcome instanceof ApiError)) return null
    const wait = paymentRetryDelay(outcome, tries)
    if (wait !== null && isUnanswered(outcome)) onUnanswered()
    return wait
  })
}

/** For the payer alone; without a secret there is nothing left to confirm. */
export function authenticatePayment(paymentId: string): Promise<Schemas['StartedPayment']> {
  return unwrap(api.POST('/api/payments/authenticate/{id}', { params: { path: { id: paymentId } } }))
}

/**
 * Reads a card payment after its payer has answered the bank. The provider knows at once what came of it; the server
 * hears of it by a webhook, which may take its time. When the provider does not answer, what is stored is read.
 */
export async function readAtProvider(queries: QueryClient, { companyId, id }: Payment): Promise<void> {
  const stored = paymentQuery(companyId, id)
  try {
    writeNewer(queries, stored.queryKey, (await authenticatePayment(id)).payment)
  } catch {
    await queries
      .fetchQuery({ ...stored, staleTime: 0 })
      .catch(() => queries.invalidateQueries({ queryKey: stored.queryKey }))
  }
}

export function cancelPayment(paymentId: string): Promise<Payment> {
  return unwrap(api.POST('/api/payments/cancel/{id}', { params: { path: { id: paymentId } }, body: {} })).then(
    ({ payment }) => payment,
  )
}

/** With `setup` the card is saved when its holder's bank agrees; without, it is among the methods. */
export function saveCard(companyId: string, body: Schemas['SaveMethod']): Promise<Schemas['AddedMethod']> {
  return unwrap(api.POST('/api/payments/methods/{companyId}', { params: { path: { companyId } }, body }))
}

export async function deleteCard(companyId: string, methodId: string): Promise<void> {
  await unwrap(
    api.DELETE('/api/payments/methods/{companyId}/{methodId}', { params: { path: { companyId, methodId } } }),
  )
}

export function makeDefaultCard(companyId: string, methodId: string): Promise<SavedCard[]> {
  return methodsOf(
    unwrap(
      api.PUT('/api/payments/methods/{companyId}/{methodId}/default', { params: { path: { companyId, methodId } } }),
    ),
  )
}

function methodsOf(answer: Promise<Schemas['SavedMethods']>): Promise<SavedCard[]> {
  return answer.then(({ methods }) => methods)
}
