// A notification as the server sends it, for tests of the bell and of its toasts.
import type { Notification } from '../src/api/notifications'

/** Newer ones have a higher number. */
export const notificationId = (number: number) => `019e0000-0000-7000-8000-${String(number).padStart(12, '0')}`

export const notification = (number: number, rest: Partial<Notification> = {}): Notification => ({
  id: notificationId(number),
  topic: 'payment.approved',
  companyId: 'c1',
  companyName: 'Ponto Central',
  planName: 'Profissional',
  amount: 9990,
  paymentId: 'p1',
  at: new Date().toISOString(),
  isRead: false,
  ...rest,
})
