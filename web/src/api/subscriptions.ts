// The calls of `/api/subscriptions/company/{id}` and their cache keys. Money here is decimal reais. Every POST
// carries an Idempotency-Key: a repeat of the same intention answers the same and does nothing twice.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { BillingCycle, SubscriptionStatus } from '../lib/labels'
import { call } from './client'
import { ApiError } from './errors'
import type { Payment } from './payments'
import type { Plan } from './plans'

export interface PendingChange {
  planId: string
  planName: string
  billingCycle: BillingCycle
  effectiveDate: string
}

export interface Subscription {
  id: string
  companyId: string
  status: SubscriptionStatus
  plan: Plan
  planId: string
  price: number
  billingCycle: BillingCycle
  currentPeriodStart?: string | null
  nextBillingDate?: string | null
  endDate?: string | null
  daysUntilExpiry?: number | null
  canceledAt?: string | null
  cancelReason?: string | null
  pendingChange?: PendingChange | null
  /** The open one; left out for operators. */
  payment?: Payment | null
  creditBalance: number
  version: number
}

export type ChangeType = 'upgrade' | 'downgrade' | 'creation' | 'renewal' | 'other'

export interface Preview {
  quoteId: string
  expiresAt: string
  changeType: ChangeType
  description: string
  currency: string
  newPlan: { id: string; name: string; price: number }
  currentPlan?: { name: string; price: number } | null
  billing: {
    proratedCharge: number
    proratedCredit: number
    proratedRefund: number
    amountDue: number
    effectiveDate: string
    nextBillingDate: string | null
  }
  savings: { annually: number }
  warnings: string[]
}

export interface PlanChoice {
  planId: string
  billingCycle: BillingCycle
}

export type HistoryType =
  | 'created'
  | 'activated'
  | 'upgraded'
  | 'downgrade_scheduled'
  | 'downgraded'
  | 'changed'
  | 'pending_change_withdrawn'
  | 'canceled'
  | 'reactivated'
  | 'renewed'
  | 'renewal_failed'
  | 'suspended'
  | 'expired'
  | 'credited'

export interface HistoryEntry {
  id: string
  type: HistoryType
  at: string
  /** Who did it; nobody: the clock or the provider. */
  by?: string | null
  planName: string
  billingCycle: BillingCycle
  /** Decimal reais. */
  amount?: number | null
  detail?: unknown
}

export interface HistoryPage {
  history: HistoryEntry[]
  total: number
  page: number
}

export const subscriptionKeys = {
  current: (companyId: string) => ['subscription', companyId] as const,
  history: (companyId: string) => ['subscription-history', companyId] as const,
}

/** Null: the company has no subscription, which is no error. */
export function subscriptionQuery(companyId: string) {
  return queryOptions({
    queryKey: subscriptionKeys.current(companyId),
    queryFn: ({ signal }) =>
      call<{ subscription: Subscription }>('GET', of(companyId), { signal }).then(
        ({ subscription }) => subscription,
        (error: unknown) => {
          if (error instanceof ApiError && error.code === 'NOT_FOUND') return null
          throw error
        },
      ),
  })
}

/** Newest first, ten at a time. */
export function historyQuery(companyId: string) {
  return infiniteQueryOptions({
    queryKey: subscriptionKeys.history(companyId),
    queryFn: ({ pageParam, signal }) => call<HistoryPage>('GET', `${of(companyId)}/history`, { query: { page: pageParam, limit: 10 }, signal }),
    initialPageParam: 1,
    getNextPageParam: ({ page, total }, pages) => (pages.reduce((sum, { history }) => sum + history.length, 0) < total ? page + 1 : undefined),
  })
}

export function previewChange(companyId: string, body: PlanChoice, idempotencyKey: string): Promise<Preview> {
  return call<{ preview: Preview }>('POST', `${of(companyId)}/preview-change`, { body, idempotencyKey }).then(({ preview }) => preview)
}

export function createSubscription(companyId: string, body: PlanChoice, idempotencyKey: string): Promise<Subscription> {
  return post(of(companyId), body, idempotencyKey)
}

export function upgradeSubscription(companyId: string, body: PlanChoice, idempotencyKey: string): Promise<Subscription> {
  return post(`${of(companyId)}/upgrade`, body, idempotencyKey)
}

export function downgradeSubscription(companyId: string, body: PlanChoice, idempotencyKey: string): Promise<Subscription> {
  return post(`${of(companyId)}/downgrade`, body, idempotencyKey)
}

export function renewSubscription(companyId: string, idempotencyKey: string): Promise<Subscription> {
  return post(`${of(companyId)}/renew`, {}, idempotencyKey)
}

export function cancelSubscription(companyId: string, reason: string | undefined, idempotencyKey: string): Promise<Subscription> {
  return post(`${of(companyId)}/cancel`, { reason }, idempotencyKey)
}

export function withdrawPendingChange(companyId: string): Promise<Subscription> {
  return call<{ subscription: Subscription }>('DELETE', `${of(companyId)}/pending-change`).then(({ subscription }) => subscription)
}

function post(path: string, body: object, idempotencyKey: string): Promise<Subscription> {
  return call<{ subscription: Subscription }>('POST', path, { body, idempotencyKey }).then(({ subscription }) => subscription)
}

function of(companyId: string): string {
  return `/api/subscriptions/company/${encodeURIComponent(companyId)}`
}
