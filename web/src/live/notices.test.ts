// @vitest-environment happy-dom
import { afterEach, describe, expect, test, vi } from 'vitest'
import { notification } from '../../test/notification'
import type { Notification } from '../api/notifications'
import { paths, paymentPath } from '../lib/paths'
import type { EventFrame } from './frames'
import { noticeOf } from './notices'
import type { Patch } from './patch-cache'
import { closePaymentDialog, showPayment } from './payment-dialog'
import { serverNow } from './server-clock'

const now = () => new Date(serverNow()).toISOString()
const beforeThisPage = () => new Date(performance.timeOrigin - 1_000).toISOString()
const created = (rest: Partial<Notification> = {}, at = now()): Patch => {
  const data = notification(7, rest)
  const event = { type: 'event', channel: 'user', seq: 1, name: 'notification.created', key: data.id, data, at }
  return { type: 'event', channel: 'user', event: event as unknown as EventFrame }
}

afterEach(() => {
  closePaymentDialog()
  history.replaceState(null, '', paths.dashboard)
})

describe('a toast', () => {
  test('names amount, plan and company', () => {
    const notice = noticeOf(created())
    expect(notice).toMatchObject({ tone: 'success', text: 'Pagamento aprovado' })
    expect(notice?.detail).toBe('R$\u00a099,90 pelo plano Profissional da empresa Ponto Central.')
  })
  test('is not for what is replayed from before the page was opened, nor for what is read', () => {
    expect(noticeOf(created({}, beforeThisPage()))).toBeNull()
    expect(noticeOf(created({ isRead: true }))).toBeNull()
  })
  test('is for what happened while the machine slept, whose time the page has not counted', () => {
    vi.spyOn(performance, 'now').mockReturnValue(60_000)
    vi.useFakeTimers({ now: performance.timeOrigin + 8 * 3_600_000, toFake: ['Date'] })
    const asleep = new Date(performance.timeOrigin + 3_600_000).toISOString()
    expect(noticeOf(created({}, asleep))?.text).toBe('Pagamento aprovado')
  })
  test('is not for a payment that its own dialog shows', () => {
    showPayment('c1', 'p1')
    expect(noticeOf(created())).toBeNull()
    expect(noticeOf(created({ paymentId: 'p2' }))?.text).toBe('Pagamento aprovado')
  })
  test('is not for a payment that its page shows', () => {
    history.replaceState(null, '', paymentPath('p1'))
    expect(noticeOf(created())).toBeNull()
    expect(noticeOf(created({ paymentId: 'p2' }))?.text).toBe('Pagamento aprovado')
  })
  test('leaves a lost company to whoever sees it leave the list', () => {
    expect(noticeOf(created({ topic: 'member.removed' }))).toBeNull()
    expect(noticeOf(created({ topic: 'member.role', role: 'admin' }))?.text).toBe(
      'Seu papel na empresa Ponto Central agora é Administrador',
    )
  })
})
