// Writes live frames into the query cache: the same keys that the REST calls fill, so that no screen knows whether a
// value was fetched or pushed. Invariant: `subscription` and `payment` only ever move to a higher version.
import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { meKey, sessionsKey, type User } from '../api/auth'
import { companyKeys, type Company, type CompanyDetail } from '../api/companies'
import { paymentKeys, type Payment } from '../api/payments'
import { planKeys, type Plan } from '../api/plans'
import { subscriptionKeys, type Subscription } from '../api/subscriptions'
import type { Effect } from './apply-event'
import { patchInvite, patchMember, patchMembership } from './patch-people'

export type Patch = Extract<Effect, { type: 'snapshot' | 'event' }>

export function patchCache(queries: QueryClient, patch: Patch): void {
  if (patch.type === 'snapshot') applySnapshot(queries, patch.channel, patch.data)
  else applyEvent(queries, patch)
}

/** The company of a `company/{id}` channel. */
export function companyOf(channel: string): string | null {
  return channel.startsWith('company/') ? channel.slice('company/'.length) : null
}

function applySnapshot(queries: QueryClient, channel: string, data: unknown): void {
  const companyId = companyOf(channel)
  if (companyId === null) {
    if (channel === 'plans') write(queries, planKeys.list, (data as { plans: Plan[] }).plans)
    if (channel === 'user') patchMe(queries, data as User)
    return
  }
  const { subscription, openPayments = [] } = data as { subscription?: Subscription | null; openPayments?: Payment[] }
  for (const payment of openPayments) writeNewer(queries, paymentKeys.one(companyId, payment.id), payment)
  write(
    queries,
    subscriptionKeys.current(companyId),
    subscription ? { ...subscription, payment: openPayments.find(holdsSlot) } : null,
  )
  if (openPayments.some((payment) => !holdsSlot(payment)))
    void queries.invalidateQueries({ queryKey: subscriptionKeys.current(companyId) })
  // What closed while we were away is in no snapshot: whoever shows a payment or a member reads it again.
  void queries.invalidateQueries({ queryKey: paymentKeys.ofCompany(companyId) })
  void queries.invalidateQueries({ queryKey: companyKeys.detail(companyId) })
  void queries.invalidateQueries({ queryKey: subscriptionKeys.history(companyId) })
}

/** The channel masks the CPF, which the person reads whole: what the call answered stays, and without an answer it is asked. */
function patchMe(queries: QueryClient, user: User): void {
  const known = queries.getQueryData<User>(meKey)
  if (known && known.id === user.id) write(queries, meKey, { ...user, userDocument: known.userDocument })
  else void queries.invalidateQueries({ queryKey: meKey })
}

function applyEvent(queries: QueryClient, { channel, subject, event }: Extract<Patch, { type: 'event' }>): void {
  const companyId = companyOf(channel) ?? ''
  switch (subject) {
    case 'company':
      patchCompany(queries, companyId, event.name === 'company.deleted' ? null : (event.data as Partial<Company>))
      return
    case 'member':
      patchMember(queries, companyId, event)
      return
    case 'invite':
      patchInvite(queries, companyId, event)
      return
    case 'subscription':
      patchSubscription(queries, companyId, event.data as Subscription | null)
      return
    case 'payment':
      patchPayment(queries, companyId, event.data as Payment | null)
      return
    case 'plan':
      void queries.invalidateQueries({ queryKey: planKeys.list })
      return
    case 'membership':
      patchMembership(queries, event)
      return
    // Whether this session ended is asked through its own port.
    case 'session':
      void queries.invalidateQueries({ queryKey: sessionsKey })
      return
    // The admin pages read their channels themselves.
    case 'metrics':
    case 'activity':
      return
    default:
      return subject satisfies never
  }
}

function patchCompany(queries: QueryClient, companyId: string, change: Partial<Company> | null): void {
  if (change === null) {
    void queries.invalidateQueries({ queryKey: companyKeys.list, exact: true })
    return
  }
  const { companyName, companyDescription, status } = change
  const shown = { ...(companyName !== undefined && { companyName }), companyDescription, ...(status && { status }) }
  queries.setQueryData<Company[]>(companyKeys.list, (rows) =>
    rows?.map((row) => (row.id === companyId ? ({ ...row, ...shown } as Company) : row)),
  )
  queries.setQueryData<CompanyDetail>(companyKeys.detail(companyId), (held) => held && { ...held, ...shown })
}

/** Everybody gets the same subscription, so its open payment is left out of the event: it is known from its own. */
function patchSubscription(queries: QueryClient, companyId: string, data: Subscription | null): void {
  const key = subscriptionKeys.current(companyId)
  const payment = openPaymentOf(queries, companyId)
  if (data === null) write(queries, key, null)
  else writeNewer(queries, key, { ...data, payment })
  if (payment && !holdsSlot(payment)) void queries.invalidateQueries({ queryKey: key })
  void queries.invalidateQueries({ queryKey: subscriptionKeys.history(companyId) })
}

function isOpen({ status }: Payment): boolean {
  return status === 'PENDING' || status === 'PROCESSING'
}

/**
 * An issued boleto may have been superseded, which it does not say: it is still open, but no longer the open payment.
 * Only the server knows, so where one is concerned the subscription is read again.
 */
function holdsSlot(payment: Payment): boolean {
  return isOpen(payment) && payment.paymentMethod !== 'BANK_SLIP'
}

/** The company's open payment as far as the cache knows it; there is at most one. */
function openPaymentOf(queries: QueryClient, companyId: string): Payment | undefined {
  const one = queries.getQueriesData<Payment>({ queryKey: paymentKeys.ofCompany(companyId), predicate: isOne })
  const held = queries.getQueryData<Subscription | null>(subscriptionKeys.current(companyId))?.payment
  return (
    [...one.map(([, payment]) => payment).filter((payment) => payment && holdsSlot(payment)), held].find(
      (payment) => payment && isOpen(payment),
    ) ?? undefined
  )
}

function isOne({ queryKey }: { queryKey: QueryKey }): boolean {
  return queryKey[2] === 'one'
}

/** The subscription with what this payment means for its open payment; the same object where it means nothing. */
function withPayment(held: Subscription, data: Payment): Subscription {
  const isHeld = held.payment?.id === data.id
  if (held.payment && isHeld && held.payment.version >= data.version) return held
  if (holdsSlot(data)) return { ...held, payment: data }
  if (!isHeld) return held
  return { ...held, payment: isOpen(data) ? data : undefined }
}

/** Operators get `null`: nothing that they may read has changed. */
function patchPayment(queries: QueryClient, companyId: string, data: Payment | null): void {
  if (data === null) return
  writeNewer(queries, paymentKeys.one(companyId, data.id), data)
  const current = subscriptionKeys.current(companyId)
  const held = queries.getQueryData<Subscription | null>(current)
  const shown = held && withPayment(held, data)
  if (shown && shown !== held) write(queries, current, shown)
  if (isOpen(data) && !holdsSlot(data)) void queries.invalidateQueries({ queryKey: current })
  void queries.invalidateQueries({ queryKey: paymentKeys.ofCompany(companyId), predicate: (query) => !isOne(query) })
  // A payment may have saved its card.
  if (data.status === 'SUCCESS') void queries.invalidateQueries({ queryKey: paymentKeys.methods(companyId) })
}

/** A REST answer that was already under way may be older than the event: it is fetched again. */
function write<T>(queries: QueryClient, queryKey: QueryKey, data: T): void {
  const underWay = queries.getQueryState(queryKey)?.fetchStatus === 'fetching'
  queries.setQueryData<T>(queryKey, data)
  if (underWay) void queries.invalidateQueries({ queryKey, exact: true })
}

export function writeNewer<T extends { id: string; version: number }>(
  queries: QueryClient,
  queryKey: QueryKey,
  data: T,
): void {
  const held = queries.getQueryData<T | null>(queryKey)
  if (held && held.id === data.id && held.version >= data.version) return
  write(queries, queryKey, data)
}
