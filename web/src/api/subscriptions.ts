// The calls of `/api/subscriptions/company/{id}` and their cache keys. Money here is decimal reais. Every POST
// carries an Idempotency-Key: a repeat of the same intention answers the same and does nothing twice.
import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query'
import { eachOnce } from '../lib/each-once'
import { api, unwrap, type Schemas } from './client'
import { ApiError } from './errors'
import { keepNewest } from './newest'

/** `payment` is the open one; operators do not get it. */
export type Subscription = Schemas['Subscription']
export type ChangeType = Schemas['ChangeType']
export type Preview = Schemas['PreviewView']
export type PlanChoice = Schemas['ChoiceBody']
/** `by` is missing for what the clock or the provider did. */
export type HistoryEntry = Schemas['HistoryView']

const HISTORY_PAGE = 10

export const subscriptionKeys = {
  current: (companyId: string) => ['subscription', companyId] as const,
  history: (companyId: string) => ['subscription-history', companyId] as const,
}

/** Null: the company has no subscription, which is no error. */
export function subscriptionQuery(companyId: string) {
  return queryOptions({
    queryKey: subscriptionKeys.current(companyId),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/subscriptions/company/{id}', { params: of(companyId), signal })).then(
        ({ subscription }) => subscription,
        (error: unknown) => {
          if (error instanceof ApiError && error.code === 'NOT_FOUND') return null
          throw error
        },
      ),
    structuralSharing: keepNewest,
  })
}

/** Newest first, ten at a time. */
export function historyQuery(companyId: string) {
  return infiniteQueryOptions({
    queryKey: subscriptionKeys.history(companyId),
    queryFn: ({ pageParam: page, signal }) => {
      const params = { ...of(companyId), query: { page, limit: HISTORY_PAGE } }
      return unwrap(api.GET('/api/subscriptions/company/{id}/history', { params, signal }))
    },
    initialPageParam: 1,
    getNextPageParam: ({ page, total }) => (page * HISTORY_PAGE < total ? page + 1 : undefined),
    select: ({ pages }) => eachOnce(pages.flatMap(({ history }) => history)),
  })
}

/** After a change of one's own, whose live event may be late, or held back by a pause. */
export function rereadSubscription(queries: QueryClient, companyId: string): void {
  void queries.invalidateQueries({ queryKey: subscriptionKeys.current(companyId) })
  void queries.invalidateQueries({ queryKey: subscriptionKeys.history(companyId) })
}

export function previewChange(companyId: string, body: PlanChoice, key: string): Promise<Preview> {
  return unwrap(
    api.POST('/api/subscriptions/company/{id}/preview-change', { params: of(companyId), headers: keyed(key), body }),
  ).then(({ preview }) => preview)
}

const CHANGES = {
  creation: '/api/subscriptions/company/{id}',
  upgrade: '/api/subscriptions/company/{id}/upgrade',
  other: '/api/subscriptions/company/{id}/upgrade',
  downgrade: '/api/subscriptions/company/{id}/downgrade',
} as const

/** Makes a change for which nothing has to be paid any more. */
export function changeSubscription(
  companyId: string,
  changeType: ChangeType,
  body: PlanChoice,
  key: string,
): Promise<Subscription> {
  if (changeType === 'renewal') return renewSubscription(companyId, key)
  return one(unwrap(api.POST(CHANGES[changeType], { params: of(companyId), headers: keyed(key), body })))
}

export function renewSubscription(companyId: string, key: string): Promise<Subscription> {
  return one(unwrap(api.POST('/api/subscriptions/company/{id}/renew', { params: of(companyId), headers: keyed(key) })))
}

export function cancelSubscription(companyId: string, body: Schemas['CancelBody'], key: string): Promise<Subscription> {
  return one(
    unwrap(api.POST('/api/subscriptions/company/{id}/cancel', { params: of(companyId), headers: keyed(key), body })),
  )
}

/** Ends what is paid for at once; the rest of it becomes credit. */
export function endSubscriptionNow(companyId: string, key: string): Promise<Subscription> {
  const body = { effectiveDate: 'immediate' }
  return one(
    unwrap(
      api.POST('/api/subscriptions/company/{id}/cancel-robust', { params: of(companyId), headers: keyed(key), body }),
    ),
  )
}

export function withdrawPendingChange(companyId: string): Promise<Subscription> {
  return one(unwrap(api.DELETE('/api/subscriptions/company/{id}/pending-change', { params: of(companyId) })))
}

function one(answer: Promise<Schemas['OneSubscription']>): Promise<Subscription> {
  return answer.then(({ subscription }) => subscription)
}

function of(companyId: string) {
  return { path: { id: companyId } }
}

function keyed(key: string) {
  return { 'idempotency-key': key }
}
