// Which notifications show a toast as they come: those that this tab did not cause and does not show already. Writes
// nothing; `patch-notifications.ts` puts them into the bell.
import { isOwnRequest } from '../api/client'
import { paymentPath } from '../lib/paths'
import { notificationWords } from './notification-words'
import type { Notification } from '../api/notifications'
import type { Patch } from './patch-cache'
import { paymentDialog } from './payment-dialog'
import { byServerClock } from './server-clock'

export interface Notice {
  /** A notice with the same id takes the place of the earlier one. */
  id: string
  tone: 'success' | 'error' | 'info' | 'warning'
  text: string
  /** Below the text. */
  detail?: string | undefined
}

/** `useLostCompany` tells of them, also where no event came. */
const SHOWN_ELSEWHERE: readonly Notification['topic'][] = ['member.removed', 'company.ended']

export function noticeOf(patch: Patch): Notice | null {
  if (patch.type !== 'event' || patch.event.name !== 'notification.created') return null
  const { cause, at, data: notification } = patch.event
  if (isOwnRequest(cause) || isOlderThanThisPage(at)) return null
  if (notification.isRead || isWatched(notification) || SHOWN_ELSEWHERE.includes(notification.topic)) return null
  const { tone, title, detail } = notificationWords(notification)
  return { id: `notification ${notification.id}`, tone, text: title, detail: detail || undefined }
}

/**
 * Events from before the page was opened are no news, also when a catch-up replays them. How long it has been open is
 * no measure: that clock may stand still while the machine sleeps.
 */
function isOlderThanThisPage(at: string): boolean {
  return Date.parse(at) < byServerClock(performance.timeOrigin)
}

/** The payment's own dialog, or its sheet beside the list, shows the change already. */
function isWatched({ paymentId, companyId }: Notification): boolean {
  const dialog = paymentDialog.get()
  if (!paymentId || document.visibilityState === 'hidden') return false
  if (dialog.kind === 'closed') return location.pathname === paymentPath(paymentId)
  return dialog.kind === 'result'
    ? dialog.paymentId === paymentId
    : dialog.kind === 'checkout' && dialog.order.companyId === companyId
}
