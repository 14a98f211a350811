// The calls of `/api/payments` and their cache keys. Money here is integer minor units of a lowercase currency.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { BillingCycle, PaymentMethodType, PaymentStatus } from '../lib/labels'
import { call } from './client'

export interface PaymentMetadata {
  companyId: string
  planId: string
  billingCycle: BillingCycle
  changeType: string
  quoteId?: string
  /** The card element that made the payment method. */
  source?: string
}

export type FailureCode =
  | 'declined'
  | 'insufficient_funds'
  | 'expired_card'
  | 'incorrect_cvc'
  | 'incorrect_number'
  | 'authentication_required'
  | 'processing_error'
  | 'payment_expired'
  | 'under_review'
  | 'other'

export interface Payment {
  id: string
  companyId: string
  status: PaymentStatus
  amount: number
  currency: string
  provider: string
  paymentMethod: PaymentMethodType
  /** The provider's intent, present as soon as the provider answered. */
  transactionId?: string | null
  createdAt: string
  updatedAt: string
  expiresAt?: string | null
  pixCode?: string | null
  bankSlipUrl?: string | null
  bankSlipLine?: string | null
  bankSlipPdf?: string | null
  failureCode?: FailureCode | null
  failureMessage?: string | null
  canRetry: boolean
  metadata: PaymentMetadata
  version: number
}

export interface BillingDetails {
  taxId?: string
  address?: { line1: string; city: string; state: string; postalCode: string }
}

export interface PaymentRequest {
  amount: number
  currency: string
  /** A card: id of a payment method. Else `paymentMethod`. */
  payment_method?: string
  paymentMethod?: { type: PaymentMethodType }
  customer: { id: string; name: string; email: string; document?: string }
  saveMethod?: boolean
  /** Closes or supersedes the payment that is still open. */
  replace?: boolean
  billing?: BillingDetails
  metadata: PaymentMetadata
}

export interface ProviderMethod {
  type: PaymentMethodType
  available: boolean
  reason?: string | null
  minAmount: number
  requiredFields: string[]
}

export interface Provider {
  name: string
  methods: ProviderMethod[]
  publishableKey: string
  /** Where the browser reaches the sandbox. */
  apiBase?: string | null
  sandbox: boolean
}

export interface SavedMethod {
  id: string
  type: PaymentMethodType
  isDefault: boolean
  card: { brand: string; last4: string; expMonth: number; expYear: number }
}

export interface PaymentFilter {
  status?: PaymentStatus | undefined
  method?: PaymentMethodType | undefined
}

export interface PaymentPage {
  payments: Payment[]
  total: number
  page: number
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
    queryFn: ({ signal }) => call<{ payment: Payment }>('GET', `/api/payments/status/${encodeURIComponent(paymentId)}`, { signal }).then(({ payment }) => payment),
  })
}

export function paymentsPage(companyId: string, filter: PaymentFilter, page: number, limit: number, signal?: AbortSignal): Promise<PaymentPage> {
  const query = { page, limit, status: filter.status, method: filter.method }
  return call('GET', `/api/payments/company/${encodeURIComponent(companyId)}`, { query, signal })
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
    queryFn: ({ signal }) => call<{ providers: Provider[] }>('GET', '/api/payments/providers', { signal }).then(({ providers }) => providers),
    staleTime: 5 * 60_000,
  })
}

export function savedMethodsQuery(companyId: string) {
  return queryOptions({
    queryKey: paymentKeys.methods(companyId),
    queryFn: ({ signal }) => methods('GET', companyId, '', undefined, signal),
  })
}

/** The card's client secret comes with the answer to its payer and with nothing else. */
export function processPayment(body: PaymentRequest, idempotencyKey: string): Promise<{ payment: Payment; client_secret?: string | null }> {
  return call('POST', '/api/payments/process', { body, idempotencyKey })
}

export function cancelPayment(paymentId: string, reason?: string): Promise<Payment> {
  return call<{ payment: Payment }>('POST', `/api/payments/cancel/${encodeURIComponent(paymentId)}`, {
    body: { reason },
  }).then(({ payment }) => payment)
}

export function saveMethod(companyId: string, paymentMethodId: string): Promise<SavedMethod[]> {
  return methods('POST', companyId, '', { paymentMethodId })
}

export function deleteMethod(companyId: string, methodId: string): Promise<SavedMethod[]> {
  return methods('DELETE', companyId, `/${encodeURIComponent(methodId)}`)
}

export function makeDefaultMethod(companyId: string, methodId: string): Promise<SavedMethod[]> {
  return methods('PUT', companyId, `/${encodeURIComponent(methodId)}/default`)
}

function methods(method: string, companyId: string, rest: string, body?: object, signal?: AbortSignal) {
  const path = `/api/payments/methods/${encodeURIComponent(companyId)}${rest}`
  return call<{ methods: SavedMethod[] }>(method, path, { body, signal }).then(({ methods }) => methods)
}
