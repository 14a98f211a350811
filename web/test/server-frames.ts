// Frames as the server sends them, for tests of `live/live-connection.tsx`.
import type { Payment } from '../src/api/payments'

export const COMPANY = 'c1'
export const CHANNEL = `company/${COMPANY}`

export const welcome = (more: object = {}) => ({
  type: 'welcome',
  id: 1,
  connection: 'x',
  serverTime: new Date(Date.now()).toISOString(),
  expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  resume: 'resume-1',
  heartbeatMs: 20_000,
  window: 128,
  retry: { baseMs: 500, capMs: 30_000, spreadMs: 5_000 },
  ...more,
})
export const snapshot = (channel: string, seq: number, epoch = 'e1') => ({
  type: 'snapshot',
  channel,
  epoch,
  seq,
  data: { subscription: null, openPayments: [] },
})
export const live = (channel: string, seq: number) => ({ type: 'live', channel, seq })

/** The one payment of these tests, at a version. */
export const payment = (version: number, status = 'PENDING') =>
  ({ id: 'p1', companyId: COMPANY, status, version }) as Payment

export const event = (seq: number, data: Payment, key = 'p1') => ({
  type: 'event',
  channel: CHANNEL,
  seq,
  name: 'payment.updated',
  key,
  data,
})
