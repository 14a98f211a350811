// @vitest-environment happy-dom
import type { QueryClient } from '@tanstack/react-query'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { emptyCache, payment, subscription } from '../../test/cache'
import { sessionsKey } from '../api/auth'
import { companyKeys } from '../api/companies'
import { invoiceKeys } from '../api/invoices'
import { notificationsKey } from '../api/notifications'
import { paymentKeys, type Payment } from '../api/payments'
import { planKeys } from '../api/plans'
import { savedViewsKey } from '../api/saved-views-key'
import { statementKeys } from '../api/statement'
import { subscriptionKeys, type Subscription } from '../api/subscriptions'
import type { EventFrame, EventName } from './frames'
import { companyOf, patchCache, type Patch } from './patch-cache'
import { serverNow } from './server-clock'
import { forgetPause, setLiveStatus } from './status'

const CHANNEL = 'company/c1'
const subscriptionKey = subscriptionKeys.current('c1')
const paymentKey = paymentKeys.one('c1', 'p1')

let queries: QueryClient
beforeEach(() => {
  queries = emptyCache()
})

const now = () => new Date(serverNow()).toISOString()
const event = (name: EventName, data: unknown, at = now()): Patch => ({
  type: 'event',
  channel: CHANNEL,
  event: { type: 'event', channel: CHANNEL, seq: 1, name, key: 'k1', data, at } as EventFrame,
})
const isStale = (queryKey: readonly unknown[]) => queries.getQueryState(queryKey)?.isInvalidated
const heldPayment = () => queries.getQueryData<Subscription>(subscriptionKey)?.payment?.id

test('the billing profile, which no event carries, is asked for again when its company changes', () => {
  const [own, foreign] = ['c1', 'c2'].map((id) => companyKeys.billingProfile(id))
  for (const key of [own, foreign]) queries.setQueryData(key ?? [], null)
  patchCache(queries, event('company.updated', { companyName: 'Ponto Central' }))
  expect([isStale(own ?? []), isStale(foreign ?? [])]).toEqual([true, false])
})

test('after events that only a newer build knows the page is read again, once and soon, but not in a pause', () => {
  vi.useFakeTimers()
  const read = vi.spyOn(queries, 'invalidateQueries')
  for (let times = 0; times < 3; times += 1) patchCache(queries, event('parcel.scanned' as EventName, {}))
  setLiveStatus({ paused: true })
  vi.advanceTimersByTime(60_000)
  expect(read).not.toHaveBeenCalled()
  forgetPause()
  vi.advanceTimersByTime(15_000)
  expect(read.mock.calls).toEqual([[]])
})

test('a refused payment is not tried again after another one was opened or paid, also when its own event is late', () => {
  const refused = payment(5, { status: 'FAILED', canRetry: true })
  const shown = () => queries.getQueryData<Payment>(paymentKey)?.canRetry
  patchCache(queries, event('payment.updated', refused))
  expect([shown(), isStale(paymentKey)]).toEqual([true, false])
  const foreign = paymentKeys.one('c2', 'p9')
  queries.setQueryData(foreign, null)
  patchCache(queries, event('payment.updated', payment(1, { id: 'p2', status: 'FAILED' })))
  expect([shown(), isStale(paymentKey), isStale(foreign)]).toEqual([true, true, false])
  for (const status of ['PROCESSING', 'SUCCESS'] as const) {
    queries.setQueryData(paymentKey, refused)
    patchCache(queries, event('payment.updated', payment(2, { id: 'p2', status })))
    expect([shown(), isStale(paymentKey)]).toEqual([false, true])
  }
})

test('news of one payment leaves the others alone that were not refused here', () => {
  const foreign = paymentKeys.one('c2', 'p8')
  const refused = payment(1, { id: 'p8', status: 'FAILED', canRetry: true })
  const paid = payment(1, { id: 'p9', status: 'SUCCESS' })
  queries.setQueryData(foreign, refused)
  queries.setQueryData(paymentKeys.one('c1', 'p9'), paid)
  queries.getQueryCache().build(queries, { queryKey: paymentKeys.one('c1', 'unread') })
  patchCache(queries, event('payment.updated', payment(2, { status: 'PROCESSING' })))
  expect(queries.getQueryData(foreign)).toBe(refused)
  expect(queries.getQueryData(paymentKeys.one('c1', 'p9'))).toBe(paid)
  expect([foreign, paymentKeys.one('c1', 'p9')].map(isStale)).toEqual([false, false])
})

test('of the payments that are known only an open one of the company stands in its subscription', () => {
  queries.setQueryData(paymentKeys.one('c2', 'p8'), payment(1, { id: 'p8' }))
  queries.setQueryData(paymentKeys.one('c1', 'p9'), payment(1, { id: 'p9', status: 'SUCCESS' }))
  queries.setQueryData([...paymentKeys.ofCompany('c1'), 'list'], payment(1, { id: 'listed' }))
  patchCache(queries, event('subscription.updated', subscription(1)))
  expect(heldPayment()).toBeUndefined()
  queries.setQueryData(paymentKey, payment(1))
  patchCache(queries, event('subscription.updated', subscription(2)))
  expect(heldPayment()).toBe('p1')
})

test('a channel of a company names it', () => {
  expect(['company/c1', 'user', 'plans'].map(companyOf)).toEqual(['c1', null, null])
})

describe('what is read again', () => {
  const keys = (id: string) => ({
    subscription: subscriptionKeys.current(id),
    history: subscriptionKeys.history(id),
    payments: [...paymentKeys.ofCompany(id), 'list'],
    methods: paymentKeys.methods(id),
    invoices: invoiceKeys.ofCompany(id),
    statement: statementKeys.ofCompany(id),
    company: companyKeys.detail(id),
  })
  const shared = {
    companies: companyKeys.list,
    plans: planKeys.list,
    sessions: sessionsKey,
    views: savedViewsKey,
    notifications: notificationsKey,
  }
  const snapshot = (channel: string, data: unknown): Patch => ({ type: 'snapshot', channel, data })
  const boleto = payment(2, { paymentMethod: 'BANK_SLIP' })
  const paid = (status: Payment['status']) => event('payment.updated', payment(2, { status }))

  test.each([
    ['a plan', event('plan.updated', null), ['plans']],
    ['a session', event('session.revoked', null), ['sessions']],
    ['a saved view', event('views.changed', null), ['views']],
    ['figures', event('metrics.updated', {}), []],
    ['an activity', event('activity.created', {}), []],
    ['a document', event('invoice.issued', null), ['invoices', 'statement']],
    ['a company that went', event('company.deleted', { companyName: 'Alfa' }), ['companies']],
    ['a subscription', event('subscription.updated', subscription(2)), ['history', 'statement', 'company']],
    ['an open payment', paid('PROCESSING'), ['payments', 'statement']],
    ['an issued boleto', event('payment.updated', boleto), ['payments', 'statement', 'subscription']],
    ['a payment that succeeded', paid('SUCCESS'), ['payments', 'statement', 'methods']],
    ['a refused payment', paid('FAILED'), ['payments', 'statement']],
    ['the person', snapshot('user', { id: 'u1' }), ['companies', 'notifications', 'views']],
    ['another channel', snapshot('admin/metrics', {}), []],
    [
      'a company with a boleto',
      snapshot(CHANNEL, { subscription: subscription(1), openPayments: [boleto] }),
      ['subscription', 'history', 'payments', 'invoices', 'statement', 'company'],
    ],
    [
      'a company',
      snapshot(CHANNEL, { subscription: subscription(1) }),
      ['history', 'payments', 'invoices', 'statement', 'company'],
    ],
  ] as [string, Patch, string[]][])('after news of %s', (_, patch, expected) => {
    const own = { ...keys('c1'), ...shared }
    for (const key of [...Object.values(own), ...Object.values(keys('c2'))]) queries.setQueryData(key, null)
    patchCache(queries, patch)
    const stale = Object.entries(own).filter(([, key]) => isStale(key))
    expect(stale.map(([name]) => name).toSorted()).toEqual(expected.toSorted())
    expect(Object.values(keys('c2')).filter(isStale)).toEqual([])
  })
})

describe('an issued boleto', () => {
  const boleto = payment(3, { paymentMethod: 'BANK_SLIP', bankSlipLine: '0009' })
  const pix = payment(1, { id: 'p2', paymentMethod: 'PIX' })

  test('that was superseded does not push the payment aside that took its place', () => {
    queries.setQueryData(subscriptionKey, subscription(1, { payment: pix }))
    patchCache(queries, event('payment.updated', boleto))
    expect(heldPayment()).toBe('p2')
    expect(isStale(subscriptionKey)).toBe(true)
  })
  test('of a snapshot is the open payment only if the server says so', () => {
    patchCache(queries, {
      type: 'snapshot',
      channel: CHANNEL,
      data: { subscription: subscription(1), openPayments: [boleto, pix] },
    })
    expect(heldPayment()).toBe('p2')
    patchCache(queries, {
      type: 'snapshot',
      channel: CHANNEL,
      data: { subscription: subscription(2), openPayments: [boleto] },
    })
    expect(heldPayment()).toBeUndefined()
    expect(isStale(subscriptionKey)).toBe(true)
  })
  test('of a snapshot stays the open payment until the server has answered', () => {
    queries.setQueryData(subscriptionKey, subscription(1, { payment: payment(2, { paymentMethod: 'BANK_SLIP' }) }))
    patchCache(queries, {
      type: 'snapshot',
      channel: CHANNEL,
      data: { subscription: subscription(1), openPayments: [payment(1, { ...boleto, id: 'p3' }), boleto] },
    })
    expect(queries.getQueryData<Subscription>(subscriptionKey)?.payment).toEqual(boleto)
    expect(isStale(subscriptionKey)).toBe(true)
  })
  test('that holds the slot stays the open payment while it changes', () => {
    queries.setQueryData(subscriptionKey, subscription(1, { payment: boleto }))
    patchCache(queries, event('payment.updated', { ...boleto, version: 4 }))
    expect(queries.getQueryData<Subscription>(subscriptionKey)?.payment?.version).toBe(4)
    patchCache(queries, event('payment.updated', { ...boleto, version: 5, status: 'SUCCESS' }))
    expect(heldPayment()).toBeUndefined()
  })
})

describe('a payment', () => {
  test('moves to a higher version and never back', () => {
    patchCache(queries, event('payment.updated', payment(2)))
    patchCache(queries, event('payment.updated', payment(1, { status: 'FAILED' })))
    expect(queries.getQueryData(paymentKey)).toMatchObject({ version: 2, status: 'PENDING' })
  })
  test('is also changed inside the subscription that waits for it', () => {
    queries.setQueryData(subscriptionKey, subscription(1, { payment: payment(1) }))
    patchCache(queries, event('payment.updated', payment(2, { status: 'PROCESSING' })))
    expect(queries.getQueryData(subscriptionKey)).toMatchObject({ payment: { version: 2, status: 'PROCESSING' } })
  })
  test('of the version that is shown changes nothing inside the subscription', () => {
    const shown = subscription(1, { payment: payment(2, { status: 'PROCESSING' }) })
    queries.setQueryData(subscriptionKey, shown)
    patchCache(queries, event('payment.updated', payment(2)))
    expect(queries.getQueryData(subscriptionKey)).toBe(shown)
  })
  test('that is over and is not the one that is shown changes nothing inside the subscription', () => {
    const shown = subscription(1, { payment: payment(1) })
    queries.setQueryData(subscriptionKey, shown)
    patchCache(queries, event('payment.updated', payment(3, { id: 'p2', status: 'SUCCESS' })))
    expect(queries.getQueryData(subscriptionKey)).toBe(shown)
  })
  test('that closed is no open payment of the subscription any more', () => {
    queries.setQueryData(subscriptionKey, subscription(1, { payment: payment(1) }))
    patchCache(queries, event('payment.updated', payment(2, { status: 'CANCELLED' })))
    expect(queries.getQueryData<Subscription>(subscriptionKey)?.payment).toBeUndefined()
  })
  test('that was refused stays in the subscription while it may be tried again, and the server is asked', () => {
    const refused = payment(2, { status: 'FAILED', canRetry: true })
    const shown = () => queries.getQueryData<Subscription>(subscriptionKey)?.payment
    queries.setQueryData(subscriptionKey, subscription(1, { payment: payment(1) }))
    patchCache(queries, event('payment.updated', refused))
    expect(shown()).toEqual(refused)
    expect(isStale(subscriptionKey)).toBe(true)
    queries.setQueryData(subscriptionKey, subscription(1, { payment: refused }))
    patchCache(queries, event('subscription.updated', subscription(2)))
    expect(shown()).toEqual(refused)
    expect(isStale(subscriptionKey)).toBe(true)
    for (const over of [{ canRetry: false }, { failureCode: 'payment_expired' as const }]) {
      queries.setQueryData(subscriptionKey, subscription(2, { payment: refused }))
      patchCache(queries, event('payment.updated', { ...refused, version: 3, ...over }))
      expect(shown()).toBeUndefined()
      expect(isStale(subscriptionKey)).toBe(false)
    }
  })
  test('that was refused and is not the one that is shown pushes nothing aside', () => {
    queries.setQueryData(subscriptionKey, subscription(1, { payment: payment(1) }))
    const other = payment(9, { id: 'p2', status: 'FAILED', canRetry: true })
    patchCache(queries, event('payment.updated', other))
    expect(queries.getQueryData(subscriptionKey)).toMatchObject({ payment: { id: 'p1' } })
    expect(isStale(subscriptionKey)).toBe(true)
  })
  test('that was refused and holds the slot is the one that a snapshot names', () => {
    const refused = payment(2, { status: 'FAILED', canRetry: true })
    const data = { subscription: subscription(1), openPayments: [refused] }
    patchCache(queries, { type: 'snapshot', channel: CHANNEL, data })
    expect(queries.getQueryData(subscriptionKey)).toMatchObject({ payment: refused })
    expect(isStale(subscriptionKey)).toBe(false)
  })
  test.each([
    ['before', ['payment', 'subscription']],
    ['after', ['subscription', 'payment']],
  ] as const)('that opened %s the event of its subscription stands in it', (_, order) => {
    queries.setQueryData(subscriptionKey, null)
    for (const subject of order) {
      if (subject === 'payment') patchCache(queries, event('payment.updated', payment(1)))
      else patchCache(queries, event('subscription.updated', subscription(1)))
    }
    expect(queries.getQueryData(subscriptionKey)).toMatchObject({ version: 1, payment: { id: 'p1' } })
  })
  test('that became the open one while the subscription was read makes it be read once more', async () => {
    queries.setQueryData(subscriptionKey, {
      ...subscription(1),
      payment: payment(1, { id: 'boleto', paymentMethod: 'BANK_SLIP' }),
    })
    const read = queries.fetchQuery({
      queryKey: subscriptionKey,
      queryFn: () => Promise.resolve(subscription(1)),
      staleTime: 0,
    })
    const observed = read.catch(() => undefined)
    patchCache(queries, event('payment.updated', payment(1, { id: 'pix', paymentMethod: 'PIX' })))
    expect(queries.getQueryData(subscriptionKey)).toMatchObject({ payment: { id: 'pix' } })
    expect(isStale(subscriptionKey)).toBe(true)
    await observed
  })
  test('that changes nothing in the subscription does not make it be read once more', async () => {
    queries.setQueryData(subscriptionKey, subscription(1))
    const queryFn = () => Promise.resolve(subscription(1))
    const read = queries.fetchQuery({ queryKey: subscriptionKey, queryFn, staleTime: 0 })
    patchCache(queries, event('payment.updated', payment(1, { status: 'SUCCESS' })))
    expect(isStale(subscriptionKey)).toBe(false)
    await read
  })
  test('that an operator may not see changes nothing', () => {
    patchCache(queries, event('payment.updated', null))
    expect(queries.getQueryCache().getAll()).toEqual([])
  })
  test('sends the lists of payments to be read again, and only them', () => {
    const list = [...paymentKeys.ofCompany('c1'), 'list', 1]
    queries.setQueryData(list, [])
    queries.setQueryData(paymentKeys.one('c1', 'p2'), payment(1))
    patchCache(queries, event('payment.updated', payment(2)))
    expect(isStale(list)).toBe(true)
    expect(isStale(paymentKeys.one('c1', 'p2'))).toBe(false)
  })
})

test.each([
  ['payment', event('payment.updated', payment(2))],
  ['document', event('invoice.issued', { id: 'i1', kind: 'change', number: 1 })],
  ['subscription', event('subscription.updated', subscription(2))],
  ['snapshot', { type: 'snapshot', channel: CHANNEL, data: { subscription: null } }],
] as const)('a %s makes everything about the money of its company be read again', (_, patch) => {
  const own = ['balance', 'transactions', 'spending'].map((page) => [...statementKeys.ofCompany('c1'), page])
  const foreign = [...statementKeys.ofCompany('c2'), 'balance']
  for (const key of [...own, foreign]) queries.setQueryData(key, {})
  patchCache(queries, patch as Patch)
  expect(own.map(isStale)).toEqual([true, true, true])
  expect(isStale(foreign)).toBe(false)
})

describe('a subscription', () => {
  test('that is gone is no subscription', () => {
    queries.setQueryData(subscriptionKey, subscription(4))
    patchCache(queries, event('subscription.updated', null))
    expect(queries.getQueryData(subscriptionKey)).toBeNull()
  })
  test('of the same version is taken when its state has moved, and read again', () => {
    const at = (kind: string, version = 4) => subscription(version, { state: { kind } } as Partial<Subscription>)
    queries.setQueryData(subscriptionKey, at('runs'))
    patchCache(queries, event('subscription.updated', at('runs')))
    expect(isStale(subscriptionKey)).toBe(false)
    patchCache(queries, event('subscription.updated', at('due')))
    expect(queries.getQueryData(subscriptionKey)).toMatchObject({ state: { kind: 'due' } })
    expect(isStale(subscriptionKey)).toBe(true)
    queries.setQueryData(subscriptionKey, at('due'))
    patchCache(queries, event('subscription.updated', at('runs', 3)))
    expect(queries.getQueryData(subscriptionKey)).toMatchObject({ version: 4, state: { kind: 'due' } })
    expect(isStale(subscriptionKey)).toBe(false)
  })
  test('keeps its open payment and never one that has ended', () => {
    for (const [status, kept] of [
      ['PENDING', 'p1'],
      ['FAILED', undefined],
    ] as const) {
      queries.setQueryData(subscriptionKey, subscription(1, { payment: payment(1, { status }) }))
      patchCache(queries, event('subscription.updated', subscription(2)))
      expect(queries.getQueryData<Subscription>(subscriptionKey)?.payment?.id).toBe(kept)
      expect(isStale(subscriptionKey)).toBe(false)
    }
  })
  test('with an open boleto is read again, for only the server knows whether it holds the slot', () => {
    const boleto = payment(1, { paymentMethod: 'BANK_SLIP' })
    const foreign = subscriptionKeys.current('c2')
    queries.setQueryData(foreign, null)
    queries.setQueryData(subscriptionKey, subscription(1, { payment: boleto }))
    patchCache(queries, event('subscription.updated', subscription(2)))
    expect(queries.getQueryData(subscriptionKey)).toMatchObject({ version: 2, payment: { id: 'p1' } })
    expect([subscriptionKey, foreign].map(isStale)).toEqual([true, false])
  })
  test('of another id replaces, whatever its version', () => {
    queries.setQueryData(subscriptionKey, subscription(9))
    patchCache(queries, event('subscription.updated', subscription(1, { id: 's2' })))
    expect(queries.getQueryData(subscriptionKey)).toMatchObject({ id: 's2' })
  })
  test('whose answer was under way when the event came is read once more', async () => {
    let answers = 0
    const read = queries.fetchQuery({ queryKey: subscriptionKey, queryFn: async () => subscription(++answers) })
    const observed = read.catch(() => undefined)
    patchCache(queries, event('subscription.updated', subscription(7)))
    expect(isStale(subscriptionKey)).toBe(true)
    await observed
  })
})
