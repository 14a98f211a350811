// Sentences about a subscription that depend on time, for the dashboard and the plans page.
import type { Subscription } from '../api/subscriptions'
import { serverNow } from './status'

const NEAR_DAYS = 7

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
