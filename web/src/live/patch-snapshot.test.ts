// @vitest-environment happy-dom
import { QueryObserver, type QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { emptyCache, payment, subscription } from '../../test/cache'
import { meKey } from '../api/auth'
import { companyKeys } from '../api/companies'
import { notificationsKey } from '../api/notifications'
import { paymentKeys, paymentQuery } from '../api/payments'
import { planKeys } from '../api/plans'
import { subscriptionKeys, subscriptionQuery } from '../api/subscriptions'
import type { EventFrame, EventName } from './frames'
import { patchCache } from './patch-cache'

const CHANNEL = 'company/c1'
const subscriptionKey = subscriptionKeys.current('c1')
const paymentKey = paymentKeys.one('c1', 'p1')

let queries: QueryClient
beforeEach(() => {
  queries = emptyCache()
})

const isStale = (queryKey: readonly unknown[]) => queries.getQueryState(queryKey)?.isInvalidated

test('notifications that came while the tab was away are read with the snapshot of the person', () => {
  queries.setQueryData(notificationsKey, { pages: [], pageParams: [] })
  patchCache(queries, { type: 'snapshot', channel: 'user', data: { id: 'u1' } })
  expect(isStale(notificationsKey)).toBe(true)
})

test('only the channel of the plans brings plans', () => {
  patchCache(queries, { type: 'snapshot', channel: 'admin/activity', data: { plans: [{ id: 'essential' }] } })
  expect(queries.getQueryData(planKeys.list)).toBeUndefined()
})

test('a payment that closed unseen, while the tab was away, does not come back with the next event', () => {
  queries.setQueryData(subscriptionKey, subscription(1, { payment: payment(1) }))
  queries.setQueryData(paymentKey, payment(1))
  patchCache(queries, { type: 'snapshot', channel: CHANNEL, data: { subscription: subscription(2), openPayments: [] } })
  const frame = {
    type: 'event',
    channel: CHANNEL,
    seq: 9,
    key: 's1',
    at: '',
    name: 'subscription.updated' as EventName,
  }
  const event = { ...frame, data: subscription(3) } as unknown as EventFrame
  patchCache(queries, { type: 'event', channel: CHANNEL, event })
  expect(queries.getQueryData(subscriptionKey)).toMatchObject({ version: 3, payment: undefined })
})

describe('a snapshot', () => {
  test('replaces the subscription and makes what may have closed be read again', () => {
    queries.setQueryData(subscriptionKey, subscription(9))
    queries.setQueryData(paymentKeys.one('c1', 'old'), payment(1, { id: 'old' }))
    patchCache(queries, {
      type: 'snapshot',
      channel: CHANNEL,
      data: { subscription: subscription(10), openPayments: [payment(3)] },
    })
    expect(queries.getQueryData(subscriptionKey)).toMatchObject({ version: 10, payment: { id: 'p1' } })
    expect(queries.getQueryData(paymentKey)).toMatchObject({ version: 3 })
    expect(isStale(paymentKeys.one('c1', 'old'))).toBe(true)
  })
  test('shows the company as it is now, also when it was read before a change that the socket came too late for', () => {
    const company = { id: 'c1', companyName: 'Alfa', status: 'active', userRole: 'finance' }
    queries.setQueryData(companyKeys.list, [company])
    const now = { id: 'c1', companyName: 'Beta', status: 'suspended' }
    patchCache(queries, { type: 'snapshot', channel: CHANNEL, data: { company: now, subscription: null } })
    expect(queries.getQueryData(companyKeys.list)).toMatchObject([{ ...now, userRole: 'finance' }])
  })
  test('of the person makes the companies be read again, unless the page has just read the same', () => {
    vi.useFakeTimers()
    const rows = [
      { id: 'c1', companyName: 'Alfa', userRole: 'finance' },
      { id: 'c2', companyName: 'Beta', userRole: 'admin' },
    ]
    const alfa = { id: 'c1', name: 'Alfa', role: 'finance' }
    const beta = { id: 'c2', name: 'Beta', role: 'admin' }
    for (const [age, memberships, isReadAgain] of [
      [30_000, [beta, alfa], false],
      [30_001, [beta, alfa], true],
      [0, undefined, true],
      [0, [beta], true],
      [0, [beta, alfa, { ...alfa, id: 'c3' }], true],
      [0, [beta, { ...alfa, id: 'c3' }], true],
      [0, [beta, { ...alfa, role: 'admin' }], true],
      [0, [beta, { ...alfa, name: 'Alfa Nova' }], true],
    ] as const) {
      queries.setQueryData(companyKeys.list, rows, { updatedAt: Date.now() - age })
      patchCache(queries, { type: 'snapshot', channel: 'user', data: { id: 'u1', memberships } })
      expect(isStale(companyKeys.list)).toBe(isReadAgain)
    }
  })
  test('for an operator names no payment', () => {
    patchCache(queries, { type: 'snapshot', channel: CHANNEL, data: { subscription: subscription(1) } })
    expect(queries.getQueryData(subscriptionKey)).toEqual(subscription(1))
    expect(queries.getQueriesData({ queryKey: paymentKeys.ofCompany('c1') })).toEqual([])
  })
  test('of the plans is what the call would answer', () => {
    patchCache(queries, { type: 'snapshot', channel: 'plans', data: { plans: [{ id: 'essential' }] } })
    expect(queries.getQueryData(planKeys.list)).toEqual([{ id: 'essential' }])
  })
  test('of the person never replaces the whole CPF by the masked one', () => {
    const masked = { id: 'u1', userName: 'Ana Lima', userDocument: '***.444.777-**' }
    patchCache(queries, { type: 'snapshot', channel: 'user', data: masked })
    expect(queries.getQueryData(meKey)).toBeUndefined()
    queries.setQueryData(meKey, { id: 'u1', userName: 'Ana Souza', userDocument: '111.444.777-35' })
    patchCache(queries, { type: 'snapshot', channel: 'user', data: masked })
    expect(queries.getQueryData(meKey)).toEqual({ id: 'u1', userName: 'Ana Lima', userDocument: '111.444.777-35' })
    queries.setQueryData(meKey, { id: 'u2', userDocument: '529.982.247-25' })
    patchCache(queries, { type: 'snapshot', channel: 'user', data: masked })
    expect([queries.getQueryData<{ id: string }>(meKey)?.id, isStale(meKey)]).toEqual(['u2', true])
  })
})

describe('a snapshot of another history of the database', () => {
  const pages: QueryObserver[] = []
  beforeEach(() => {
    vi.stubGlobal('fetch', () => new Promise(() => undefined))
    queries.setQueryData(paymentKeys.one('c2', 'p8'), payment(9))
    show(subscriptionQuery('c1'), subscription(5, { status: 'canceled' }))
    show(paymentQuery('c1', 'p1'), payment(7, { status: 'SUCCESS' }))
    show(paymentQuery('c1', 'p2'), payment(6, { id: 'p2', status: 'FAILED' }))
  })
  afterEach(() => {
    for (const page of pages.splice(0)) page.destroy()
  })

  /** A page shows what it has of the history until now. */
  function show(query: { queryKey: readonly unknown[] }, data: unknown) {
    queries.setQueryData(query.queryKey, data)
    const page = new QueryObserver(queries, query)
    page.subscribe(() => undefined)
    pages.push(page)
  }
  const snapshot = (newHistory: boolean) => {
    const data = { subscription: subscription(4, { status: 'active' }), openPayments: [payment(3)] }
    patchCache(queries, { type: 'snapshot', channel: CHANNEL, data, newHistory })
  }
  const event = (name: EventName, data: unknown) => {
    const frame = { type: 'event', channel: CHANNEL, seq: 1, name, key: 'k1', data, at: '2026-11-21T12:00:00Z' }
    patchCache(queries, { type: 'event', channel: CHANNEL, event: frame as EventFrame })
  }

  test('replaces the versions that are lost, and its own go on from there', () => {
    snapshot(true)
    expect(queries.getQueryData(subscriptionKey)).toMatchObject({ version: 4, status: 'active', payment: { id: 'p1' } })
    expect(queries.getQueryData(paymentKey)).toMatchObject({ version: 3, status: 'PENDING' })
    event('subscription.updated', subscription(5, { status: 'active' }))
    event('payment.updated', payment(7, { status: 'FAILED' }))
    expect(queries.getQueryData(subscriptionKey)).toMatchObject({ version: 5, status: 'active' })
    expect(queries.getQueryData(paymentKey)).toMatchObject({ version: 7, status: 'FAILED' })
  })
  test('lets a page show nothing that it does not bring, until it is read again', () => {
    snapshot(true)
    expect(queries.getQueryState(paymentKeys.one('c1', 'p2'))).toMatchObject({
      data: undefined,
      fetchStatus: 'fetching',
    })
    expect(queries.getQueryData(paymentKeys.one('c2', 'p8'))).toEqual(payment(9))
  })
  test('is none when versions only came late', () => {
    snapshot(false)
    expect(queries.getQueryData(subscriptionKey)).toMatchObject({ version: 5, status: 'canceled' })
    expect(queries.getQueryData(paymentKey)).toMatchObject({ version: 7, status: 'SUCCESS' })
    expect(queries.getQueryData(paymentKeys.one('c1', 'p2'))).toMatchObject({ version: 6 })
  })
})
