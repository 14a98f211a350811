// What a subscription's dates mean right now, for the dashboard, the plans page and the history: sentences, and whether
// its renewal can be paid. Time is the server's.
import type { Subscription } from '../api/subscriptions'
import { serverNow } from './status'

const NEAR_DAYS = 7
/** The next period can be bought this long before the current one ends. */
const RENEWAL_WINDOW_MS = 10 * 24 * 60 * 60_000

/** 1 to 7 days: the warning; exactly 0: the end; otherwise nothing. */
export function expiryText({ daysUntilExpiry }: Pick<Subscription, 'daysUntilExpiry'>): string | null {
  if (daysUntilExpiry === 0) return 'Sua assinatura expirou'
  if (daysUntilExpiry === 1) return 'Sua assinatura expira em 1 dia'
  if (daysUntilExpiry == null || daysUntilExpiry < 0 || daysUntilExpiry > NEAR_DAYS) return null
  return `Sua assinatura expira em ${daysUntilExpiry} dias`
}

export function isAhead(instant: string | null | undefined): boolean {
  return instant != null && Date.parse(instant) > serverNow()
}

type Dated = Pick<Subscription, 'status' | 'nextBillingDate' | 'daysUntilExpiry'>

/** The paid period is over and its renewal is not paid, but the plan still runs. */
export function isDue({ status, nextBillingDate, daysUntilExpiry }: Dated): boolean {
  return status === 'active' && nextBillingDate != null && (daysUntilExpiry === 0 || !isAhead(nextBillingDate))
}

/** Whether the person should act before choosing another plan: pay what is open or due, or reactivate. */
export function needsAction(subscription: Subscription): boolean {
  const { status, payment, endDate } = subscription
  const renewal = renewalOf(subscription)
  return Boolean(payment) || renewal === 'settle' || renewal === 'again' || (status === 'canceled' && isAhead(endDate))
}

/**
 * What a renewal payment would do now: settle what is due, buy the next period, start again; null: none is possible.
 */
export function renewalOf(
  subscription: Dated & Pick<Subscription, 'plan' | 'pendingChange'>,
): 'settle' | 'next' | 'again' | null {
  const { status, plan, nextBillingDate, pendingChange } = subscription
  if (plan.isFree) return null
  if (status === 'suspended' || isDue(subscription)) return 'settle'
  if (status === 'expired') return 'again'
  const inWindow = nextBillingDate != null && Date.parse(nextBillingDate) - serverNow() <= RENEWAL_WINDOW_MS
  return status === 'active' && inWindow && !pendingChange ? 'next' : null
}
