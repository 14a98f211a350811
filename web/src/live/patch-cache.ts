// Writes live snapshots and events into the query cache, under the keys that the REST calls fill: a screen reads one
// value, whether it was fetched or pushed. Called by `live-connection.tsx` for every frame that `apply-event.ts` lets
// through.
import { replaceEqualDeep, type QueryClient, type QueryKey } from '@tanstack/react-query'
import { meKey, sessionsKey, type User } from '../api/auth'
import type { Schemas } from '../api/client'
import { companyKeys, type Company } from '../api/companies'
import { changeDetail, withInvite, withMember, withoutInvite, withoutMember } from '../api/company-detail'
import { invoiceKeys } from '../api/invoices'
import { write, writeNewer } from '../api/newest'
import { addNotification, notificationsKey } from '../api/notifications'
import { methodKind } from '../api/payment-methods'
import { paymentKeys, type Payment } from '../api/payments'
import { planKeys } from '../api/plans'
import { savedViewsKey } from '../api/saved-views-key'
import { statementKeys } from '../api/statement'
import { subscriptionKeys, type Subscription } from '../api/subscriptions'
import { isOpenPayment } from '../lib/labels'
import type { Effect } from './apply-event'
import { patchRead } from './patch-notifications'
import { patchMembership } from './patch-membership'
import { readSoon } from './read-soon'

/** As long as a query holds its answer for fresh. */
const JUST_READ_MS = 30_000

export type Patch = Extract<Effect, { type: 'snapshot' | 'event' }>

export function patchCache(queries: QueryClient, patch: Patch): void {
  if (patch.type === 'snapshot') applySnapshot(queries, patch)
  else applyEvent(queries, patch)
}

/** The company of a `company/{id}` channel. */
export function companyOf(channel: string): string | null {
  return channel.startsWith('company/') ? channel.slice('company/'.length) : null
}

type UserSnapshot = Schemas['UserSnapshot']

/**
 * Whether the list was read just now and shows each membership, by its name and role, and nothing else. A node of an
 * older build names none: then it does not.
 */
function hasJustRead(queries: QueryClient, memberships: UserSnapshot['memberships'] | undefined): boolean {
  const list = queries.getQueryState<Company[]>(companyKeys.list)
  if (!list?.data || Date.now() - list.dataUpdatedAt > JUST_READ_MS) return false
  if (list.data.length !== memberships?.length) return false
  return list.data.every(({ id, companyName, userRole }) =>
    memberships.some((one) => one.id === id && one.name === companyName && one.role === userRole),
  )
}

function applySnapshot(
  queries: QueryClient,
  { channel, data, newHistory }: Extract<Patch, { type: 'snapshot' }>,
): void {
  const companyId = companyOf(channel)
  if (companyId === null) {
    if (channel === 'plans') write(queries, planKeys.list, (data as Schemas['PlansSnapshot']).plans)
    if (channel === 'user') {
      const { memberships, ...user } = data as UserSnapshot
      patchMe(queries, user)
      // The snapshot has no status of a company. A page that was just opened has just read the list.
      if (!hasJustRead(queries, memberships))
        void queries.invalidateQueries({ queryKey: companyKeys.list, exact: true })
      void queries.invalidateQueries({ queryKey: notificationsKey })
      void queries.invalidateQueries({ queryKey: savedViewsKey })
    }
    return
  }
  const { company, subscription, openPayments = [] } = data as Schemas['CompanySnapshot']
  if (newHistory) forgetVersions(queries, companyId)
  if (company) patchCompany(queries, companyId, company)
  for (const payment of openPayments) writeNewer(queries, paymentKeys.one(companyId, payment.id), payment)
  write(
    queries,
    subscriptionKeys.current(companyId),
    subscription ? { ...subscription, payment: heldAmong(queries, companyId, openPayments) } : null,
  )
  if (openPayments.some(isBoleto)) void queries.invalidateQueries({ queryKey: subscriptionKeys.current(companyId) })
  // A snapshot names open payments only: a payment that closed while this tab was away is read again where it is shown,
  // and so are documents, members and history.
  void queries.invalidateQueries({ queryKey: invoiceKeys.ofCompany(companyId) })
  void queries.invalidateQueries({ queryKey: statementKeys.ofCompany(companyId) })
  void queries.invalidateQueries({ queryKey: paymentKeys.ofCompany(companyId) })
  void queries.invalidateQueries({ queryKey: companyKeys.detail(companyId) })
  void queries.invalidateQueries({ queryKey: subscriptionKeys.history(companyId) })
}

/** Drops what has versions of the lost history. What the snapshot does not bring again is read where it is shown. */
function forgetVersions(queries: QueryClient, companyId: string): void {
  const cache = queries.getQueryCache()
  const subscriptions = cache.findAll({ queryKey: subscriptionKeys.current(companyId) })
  const payments = cache.findAll({ queryKey: paymentKeys.ofCompany(companyId), predicate: isOne })
  for (const query of [...subscriptions, ...payments]) query.reset()
}

/**
 * The channel masks the CPF. The whole one, which `GET /auth/me` answered, stays; without that answer it is asked for.
 */
function patchMe(queries: QueryClient, user: User): void {
  const known = queries.getQueryData<User>(meKey)
  if (known && known.id === user.id) write(queries, meKey, { ...user, userDocument: known.userDocument })
  else void queries.invalidateQueries({ queryKey: meKey })
}

/** What an event that this build does not know is about, only the server knows: what is shown is read again. */
function applyEvent(queries: QueryClient, { channel, event }: Extract<Patch, { type: 'event' }>): void {
  // Stryker disable next-line StringLiteral: news of other channels does not ask for it
  const companyId = companyOf(channel) ?? ''
  switch (event.name) {
    case 'company.updated':
      return patchCompany(queries, companyId, event.data)
    case 'company.deleted':
      return patchCompany(queries, companyId, null)
    case 'member.added':
    case 'member.updated':
      return changeDetail(queries, companyId, (detail) => withMember(detail, event.data))
    case 'member.removed':
      return changeDetail(queries, companyId, (detail) => withoutMember(detail, event.key))
    case 'invite.created':
      return changeDetail(queries, companyId, (detail) => withInvite(detail, event.data))
    case 'invite.removed':
      return changeDetail(queries, companyId, (detail) => withoutInvite(detail, event.key))
    case 'subscription.updated':
      return patchSubscription(queries, companyId, event.data)
    case 'payment.updated':
      return patchPayment(queries, companyId, event.data)
    case 'invoice.issued':
      void queries.invalidateQueries({ queryKey: invoiceKeys.ofCompany(companyId) })
      void queries.invalidateQueries({ queryKey: statementKeys.ofCompany(companyId) })
      return
    case 'plan.updated':
      void queries.invalidateQueries({ queryKey: planKeys.list })
      return
    case 'membership.changed':
      return patchMembership(queries, event.data)
    // The list of sessions is read again. `live-connection.tsx` checks whether this tab's own session has ended.
    case 'session.revoked':
      void queries.invalidateQueries({ queryKey: sessionsKey })
      return
    case 'notification.created':
      return addNotification(queries, event.data)
    case 'notification.read':
      return patchRead(queries, event)
    case 'views.changed':
      void queries.invalidateQueries({ queryKey: savedViewsKey })
      return
    // `features/admin/live-metrics.ts` reads these channels.
    // Stryker disable all: nothing is done for these two
    case 'metrics.updated':
    case 'activity.created':
      return
    // Stryker restore all
    default:
      event satisfies never
      return readSoon(queries)
  }
}

/** Every field of a company that a change can touch. */
type CompanyChange = Record<
  Exclude<keyof Schemas['CompanyView'], 'id' | 'userRole' | 'companyCreatedBy' | 'createdAt'>,
  unknown
>

function patchCompany(queries: QueryClient, companyId: string, change: Schemas['CompanyView'] | null): void {
  if (change === null) {
    void queries.invalidateQueries({ queryKey: companyKeys.list, exact: true })
    return
  }
  const { companyName, companyDescription, status } = change
  const shown = { companyName, companyDescription, status } satisfies CompanyChange
  const before = queries.getQueryData<Company[]>(companyKeys.list)?.find(({ id }) => id === companyId)?.status
  write<Company[]>(queries, companyKeys.list, (rows) =>
    rows?.map((row) => (row.id === companyId ? ({ ...row, ...shown } as Company) : row)),
  )
  changeDetail(queries, companyId, (cached) => ({ ...cached, ...shown }))
  // No event carries the billing profile.
  void queries.invalidateQueries({ queryKey: companyKeys.billingProfile(companyId) })
  // In a company that is suspended or closed the subscription offers nothing.
  if (status !== before) void queries.invalidateQueries({ queryKey: subscriptionKeys.current(companyId) })
}

/** Not every event carries the open payment. `payment.updated` always brings it, so the one of the cache is kept. */
function patchSubscription(queries: QueryClient, companyId: string, data: Subscription | null): void {
  const key = subscriptionKeys.current(companyId)
  const payment = openPaymentOf(queries, companyId)
  const cached = queries.getQueryData<Subscription | null>(key)
  // Time and the saved cards move the state of one version; which of two is newer, only the server knows.
  const same = data !== null && cached?.id === data.id && cached.version === data.version
  const moved = same && isMoved(cached, data)
  if (data === null || moved) write(queries, key, data && { ...data, payment })
  else writeNewer(queries, key, { ...data, payment })
  if (moved || (payment && !isSubscriptionPayment(payment))) void queries.invalidateQueries({ queryKey: key })
  if (same) readCards(queries, companyId)
  void queries.invalidateQueries({ queryKey: subscriptionKeys.history(companyId) })
  // A change may move the credit without a payment.
  void queries.invalidateQueries({ queryKey: statementKeys.ofCompany(companyId) })
  // How many people the company may have goes with its plan.
  void queries.invalidateQueries({ queryKey: companyKeys.detail(companyId) })
}

/** No event carries the saved cards. A choice of the default one under way shows it already, and reads them at its end. */
function readCards(queries: QueryClient, companyId: string): void {
  const queryKey = paymentKeys.methods(companyId)
  if (queries.isMutating({ mutationKey: queryKey }) === 0) void queries.invalidateQueries({ queryKey })
}

function isMoved({ state: before }: Subscription, { state: after }: Subscription): boolean {
  return replaceEqualDeep(before, after) !== before
}

/**
 * Whether an open payment is surely the one that its subscription names. An issued boleto stays open after another
 * payment took its place; only the server knows whether it did, so for a boleto the subscription is read again.
 */
function isSubscriptionPayment(payment: Payment): boolean {
  return isOpenPayment(payment) && !isBoleto(payment)
}

function isBoleto({ paymentMethod }: Payment): boolean {
  return methodKind(paymentMethod) === 'boleto'
}

/**
 * Open, or refused while it may be tried again: the next card may pay it. Whether a refused one still keeps its place in
 * the subscription, only the server knows, so the subscription is read again.
 */
function mayBePaid(payment: Payment): boolean {
  return isOpenPayment(payment) || (payment.canRetry && payment.failureCode !== 'payment_expired')
}

/**
 * The company's open payment in the cache; there is at most one. One that is to be read again may have closed unseen:
 * while this tab was away, or since the person may see no payments any more.
 */
function openPaymentOf(queries: QueryClient, companyId: string): Payment | undefined {
  const filter = { queryKey: paymentKeys.ofCompany(companyId), predicate: isOne }
  const open = queries
    .getQueryCache()
    .findAll(filter)
    .map(({ state }) => (state.isInvalidated ? undefined : (state.data as Payment | undefined)))
    .find((payment) => payment && isSubscriptionPayment(payment))
  const cached = queries.getQueryData<Subscription | null>(subscriptionKeys.current(companyId))?.payment
  return open ?? (cached && mayBePaid(cached) ? cached : undefined)
}

/**
 * The one of the open payments that the subscription names. Whether a boleto still is, only the server knows; until it
 * has answered, the boleto that was shown stays.
 */
function heldAmong(queries: QueryClient, companyId: string, openPayments: Payment[]): Payment | undefined {
  const cached = queries.getQueryData<Subscription | null>(subscriptionKeys.current(companyId))?.payment
  return openPayments.find((payment) => !isBoleto(payment)) ?? openPayments.find(({ id }) => id === cached?.id)
}

function isOne({ queryKey }: { queryKey: QueryKey }): boolean {
  return queryKey[2] === 'one'
}

/** The subscription with `data` as its payment; `cached` itself if `data` is older, or a closed payment beside it. */
function withPayment(cached: Subscription, data: Payment): Subscription {
  const isCached = cached.payment?.id === data.id
  if (cached.payment && isCached && cached.payment.version >= data.version) return cached
  if (isSubscriptionPayment(data)) return { ...cached, payment: data }
  if (!isCached) return cached
  return { ...cached, payment: mayBePaid(data) ? data : undefined }
}

/**
 * `canRetry` of refused payments after `other` changed. While `other` is open, and once it is paid, they lose it at
 * once. In every case they are also fetched again: whether one may be retried depends on all payments of the company.
 */
function readRefusedAgain(queries: QueryClient, companyId: string, other: Payment): void {
  const holds = isOpenPayment(other) || other.status === 'SUCCESS'
  const known = queries.getQueriesData<Payment>({ queryKey: paymentKeys.ofCompany(companyId), predicate: isOne })
  for (const [queryKey, payment] of known) {
    if (payment?.status !== 'FAILED' || payment.id === other.id) continue
    if (holds) write(queries, queryKey, { ...payment, canRetry: false })
    void queries.invalidateQueries({ queryKey })
  }
}

/** `data` is null for operators, who may read no payment. */
function patchPayment(queries: QueryClient, companyId: string, data: Payment | null): void {
  if (data === null) return
  writeNewer(queries, paymentKeys.one(companyId, data.id), data)
  const current = subscriptionKeys.current(companyId)
  const cached = queries.getQueryData<Subscription | null>(current)
  const shown = cached && withPayment(cached, data)
  if (shown && shown !== cached) write(queries, current, shown)
  if (mayBePaid(data) && !isSubscriptionPayment(data)) void queries.invalidateQueries({ queryKey: current })
  void queries.invalidateQueries({ queryKey: paymentKeys.ofCompany(companyId), predicate: (query) => !isOne(query) })
  readRefusedAgain(queries, companyId, data)
  void queries.invalidateQueries({ queryKey: statementKeys.ofCompany(companyId) })
  // A payment may have saved its card.
  if (data.status === 'SUCCESS') void queries.invalidateQueries({ queryKey: paymentKeys.methods(companyId) })
}
