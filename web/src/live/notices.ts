// Which live events show a toast: changes of the person's own company or account that this tab did not cause. Compares
// the event with the cache as it was before the event; writes nothing.
import type { QueryClient } from '@tanstack/react-query'
import { meKey, type User } from '../api/auth'
import { isOwnRequest } from '../api/client'
import { companyKeys, type Company } from '../api/companies'
import { paymentKeys, type Payment } from '../api/payments'
import { subscriptionKeys, type Subscription } from '../api/subscriptions'
import { companyRoleLabels } from '../lib/labels'
import { companyOf, type Patch } from './patch-cache'
import type { Membership } from './patch-people'
import { paymentDialog } from './payment-dialog'
import { serverNow } from './status'
import { subscriptionState } from './subscription-state'

export interface Notice {
  /** A notice with the same id takes the place of the earlier one. */
  id: string
  tone: 'success' | 'error' | 'info' | 'warning'
  text: string
  /** Below the text. */
  detail?: string | undefined
}

const PAYMENT_NOTICES: Partial<Record<Payment['status'], Omit<Notice, 'id'>>> = {
  SUCCESS: { tone: 'success', text: 'Pagamento aprovado' },
  FAILED: { tone: 'error', text: 'Pagamento recusado' },
}

const SUBSCRIPTION_NOTICES: Partial<Record<Subscription['status'], Omit<Notice, 'id'>>> = {
  active: { tone: 'success', text: 'Assinatura ativa' },
  canceled: { tone: 'info', text: 'Assinatura cancelada' },
  suspended: { tone: 'error', text: 'Assinatura suspensa' },
  expired: { tone: 'error', text: 'Sua assinatura expirou' },
}

/** Called before the patch is applied. */
export function noticeOf(patch: Patch, queries: QueryClient): Notice | null {
  if (patch.type !== 'event' || isOwnRequest(patch.event.cause) || isOlderThanThisPage(patch.event.at)) return null
  if (patch.subject === 'membership') return ofMembership(patch.event.data as Membership | null, queries)
  const companyId = companyOf(patch.channel)
  if (companyId === null) return null
  if (patch.subject === 'payment') return ofPayment(patch.event.data as Payment | null, queries, companyId)
  if (patch.subject === 'subscription')
    return ofSubscription(patch.event.data as Subscription | null, queries, companyId)
  return null
}

/** Events from before the page was opened are no news, also when a catch-up replays them. */
function isOlderThanThisPage(at: string): boolean {
  return serverNow() - Date.parse(at) > performance.now()
}

function ofPayment(payment: Payment | null, queries: QueryClient, companyId: string): Notice | null {
  if (payment === null || isWatched(payment, companyId)) return null
  const before = queries.getQueryData<Payment>(paymentKeys.one(companyId, payment.id))
  if (
    before
      ? before.version >= payment.version || before.status === payment.status
      : isOlderThanThisPage(payment.updatedAt)
  )
    return null
  if (payment.failureCode === 'payment_expired')
    return { id: payment.id, tone: 'error', text: 'O prazo do pagamento terminou' }
  const notice = PAYMENT_NOTICES[payment.status]
  return notice ? { id: payment.id, ...notice } : null
}

/** The payment's own dialog shows the change already. */
function isWatched(payment: Payment, companyId: string): boolean {
  const dialog = paymentDialog.get()
  if (document.visibilityState === 'hidden') return false
  return dialog.kind === 'result'
    ? dialog.paymentId === payment.id
    : dialog.kind === 'checkout' && dialog.order.companyId === companyId
}

function ofSubscription(subscription: Subscription | null, queries: QueryClient, companyId: string): Notice | null {
  const before = queries.getQueryData<Subscription | null>(subscriptionKeys.current(companyId))
  if (subscription === null || before === undefined) return null
  const id = `subscription ${companyId}`
  const line = subscriptionState({ ...subscription, payment: undefined })?.line
  const notice = before?.status === subscription.status ? undefined : SUBSCRIPTION_NOTICES[subscription.status]
  if (notice) return { id, ...notice, detail: line }
  const kind = subscription.state?.kind
  const presses = (kind === 'due' || kind === 'expiring') && before?.state?.kind !== kind
  return presses && line ? { id, tone: 'warning', text: line } : null
}

/** `useLostCompany` tells of a lost company; a company that the person made is no news. */
function ofMembership(membership: Membership | null, queries: QueryClient): Notice | null {
  if (membership === null) return null
  const { id: companyId, companyName, companyCreatedBy, userRole } = membership
  const listed = queries.getQueryData<Company[]>(companyKeys.list)
  const before = listed?.find(({ id }) => id === companyId)
  if (listed === undefined || userRole === undefined || before?.userRole === userRole) return null
  const id = `membership ${companyId}`
  if (before)
    return { id, tone: 'info', text: `Seu papel na empresa ${companyName} agora é ${companyRoleLabels[userRole]}` }
  const isOwn = companyCreatedBy === queries.getQueryData<User>(meKey)?.id
  return isOwn ? null : { id, tone: 'success', text: `Você agora faz parte da empresa ${companyName}` }
}
