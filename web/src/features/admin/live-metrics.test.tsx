// @vitest-environment happy-dom
import { act, cleanup } from '@testing-library/react'
import { QueryObserver, type QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderWith } from '../../../test/render'
import { adminKeys, type Activity, type Metric, type Metrics } from '../../api/admin'
import { receive, subscribed, type Positions } from '../../live/apply-event'
import { notifyReaders } from '../../live/channels'
import { readFrames, type ChannelFrame } from '../../live/frames'
import { isPatch } from '../../live/pause'
import { setLiveStatus } from '../../live/status'
import {
  metricsOf,
  useLiveActivity,
  useLiveMetrics,
  useLivePlans,
  withActivities,
  withLiveMonth,
  withLiveValues,
} from './live-metrics'

const metric = (value: number | null, change: number | null = 1): Metric => ({
  value,
  change,
  changeType: 'increase',
  period: '30d',
})

function document(mrr: number, users = 10): Metrics {
  return {
    totalUsers: metric(users),
    totalCompanies: metric(5),
    totalSubscriptions: metric(4),
    mrr: metric(mrr),
    arr: metric(mrr * 12),
    churn: metric(9, 9),
    mau: metric(99, 9),
    ltv: metric(null),
    cac: metric(null),
  }
}

const cached: Metrics = { ...document(100), churn: metric(2, 3), mau: metric(7, 3), mrr: metric(100, -5) }

describe('what a frame changes', () => {
  test('totals, MRR and ARR take the live value and keep the change of their own period', () => {
    const next = withLiveValues(cached, document(149.9, 11))
    expect(next.mrr).toEqual({ ...cached.mrr, value: 149.9 })
    expect(next.arr.value).toBe(149.9 * 12)
    expect(next.totalUsers.value).toBe(11)
  })
  test('churn and MAU are of another period and stay', () => {
    const next = withLiveValues(cached, document(149.9))
    expect(next.churn).toBe(cached.churn)
    expect(next.mau).toBe(cached.mau)
  })
  test('a frame without news keeps the object, so that nothing is drawn again', () => {
    expect(withLiveValues(cached, document(100))).toBe(cached)
  })
  test('only the running month follows', () => {
    const rows = [
      { month: '2026-10', mrr: 80, newRevenue: 1, churnedRevenue: 0 },
      { month: '2026-11', mrr: 100, newRevenue: 2, churnedRevenue: 0 },
    ]
    expect(withLiveMonth(rows, 149.9, '2026-11')).toEqual([rows[0], { ...rows[1], mrr: 149.9 }])
    expect(withLiveMonth(rows, 149.9, '2026-11-21')).toEqual([rows[0], { ...rows[1], mrr: 149.9 }])
    expect(withLiveMonth(rows, null, '2026-11')).toEqual(rows)
  })
  const at = (minute: number, id: string, message = '') =>
    ({ id, message, timestamp: `2026-11-21T12:${minute}:00Z` }) as Activity
  test('an activity comes on top, once, and the list keeps its length', () => {
    const one = at(10, '1')
    const two = at(20, '2')
    expect(withActivities([one], [two], 10)).toEqual([two, one])
    expect(withActivities([one], [two], 1)).toEqual([two])
    expect(withActivities([one], [one], 10)).toEqual([one])
    expect(withActivities([], [one, two], 10)).toEqual([two, one])
  })
  test('an activity that comes again says what it says now, where its time puts it', () => {
    const list = [at(30, '3'), at(20, '2'), at(10, '1', 'Pagamento em análise')]
    const approved = at(40, '1', 'Pagamento aprovado')
    expect(withActivities(list, [approved], 10)).toEqual([approved, list[0], list[1]])
    const renamed = at(20, '2', 'Ponto Anil')
    expect(withActivities(list, [renamed], 10)).toEqual([list[0], renamed, list[2]])
  })
  test('an old activity that the list had no room for pushes out no younger one', () => {
    const list = [at(30, '3'), at(20, '2')]
    expect(withActivities(list, [at(10, '1', 'Ponto Anil')], 2)).toEqual(list)
    const between = at(25, '4')
    expect(withActivities(list, [between], 2)).toEqual([list[0], between])
  })
  test('of two at one instant the later id stands first, as in the list of the server', () => {
    expect(withActivities([at(10, 'a')], [at(10, 'b')], 10).map(({ id }) => id)).toEqual(['b', 'a'])
    expect(withActivities([at(10, 'b')], [at(10, 'a')], 10).map(({ id }) => id)).toEqual(['b', 'a'])
  })
  test('what is no document is nothing', () => {
    expect([null, 'x', {}].map(metricsOf)).toEqual([null, null, null])
  })
})

describe('recorded envelopes', () => {
  let queries: QueryClient
  let positions: Positions

  beforeEach(() => {
    vi.useFakeTimers()
    queries = emptyCache()
    positions = subscribed(subscribed({}, 'admin/metrics'), 'admin/activity')
    queries.setQueryData(adminKeys.dashboard('90d'), cached)
    queries.setQueryData(adminKeys.activity(10), [])
    renderWith(queries, <Screen />)
  })
  afterEach(() => {
    act(() => setLiveStatus({ paused: false }))
    cleanup()
    queries.clear()
  })

  /** As the socket does: text, frames, order, readers. Answers the channels that have to be asked again. */
  function deliver(...frames: object[]): string[] {
    const asked: string[] = []
    for (const frame of readFrames(JSON.stringify(frames))) {
      const received = receive(positions, frame as ChannelFrame, 0)
      positions = received.positions
      for (const effect of received.effects) {
        if (isPatch(effect)) notifyReaders(effect)
        if (effect.type === 'sync') asked.push(effect.channel)
      }
    }
    return asked
  }
  const shown = () => queries.getQueryData<Metrics>(adminKeys.dashboard('90d'))
  const list = () => queries.getQueryData<Activity[]>(adminKeys.activity(10))?.map(({ id }) => id)
  const metricsEvent = (seq: number, prev: number, mrr: number) => ({
    type: 'event',
    channel: 'admin/metrics',
    seq,
    prev,
    name: 'metrics.updated',
    data: { metrics: document(mrr) },
  })
  const activityEvent = (seq: number) => ({
    type: 'event',
    channel: 'admin/activity',
    seq,
    name: 'activity.created',
    key: `a${seq}`,
    data: {
      id: `a${seq}`,
      type: 'payment',
      status: 'success',
      message: 'Pagamento aprovado',
      timestamp: new Date(Date.UTC(2026, 10, 21) + seq).toISOString(),
    },
  })

  test('a snapshot and conflated documents move the cards to the latest value', () => {
    deliver(
      { type: 'snapshot', channel: 'admin/metrics', epoch: 'e', seq: 77, data: { metrics: document(100) } },
      { type: 'live', channel: 'admin/metrics', seq: 77 },
    )
    deliver(metricsEvent(80, 77, 120), metricsEvent(91, 80, 149.9))
    vi.advanceTimersByTime(1000)
    expect(shown()?.mrr.value).toBe(149.9)
    expect(shown()?.churn).toEqual(cached.churn)
  })
  test('the cards go on moving after the clock of the device was set back', () => {
    deliver({ type: 'snapshot', channel: 'admin/metrics', epoch: 'e', seq: 77, data: { metrics: document(100) } })
    vi.advanceTimersByTime(0)
    vi.setSystemTime(Date.now() - 3_600_000)
    deliver(metricsEvent(78, 77, 149.9))
    vi.advanceTimersByTime(1000)
    expect(shown()?.mrr.value).toBe(149.9)
  })
  test('a document that does not follow the last one is asked for, not applied', () => {
    deliver({ type: 'snapshot', channel: 'admin/metrics', epoch: 'e', seq: 77, data: { metrics: document(100) } })
    expect(deliver(metricsEvent(91, 80, 149.9))).toEqual(['admin/metrics'])
    vi.advanceTimersByTime(1000)
    expect(shown()?.mrr.value).toBe(100)
  })
  test('what depends on the period is read again, at most every ten seconds', () => {
    const invalidated = () => queries.getQueryState(adminKeys.dashboard('90d'))?.isInvalidated
    deliver({ type: 'snapshot', channel: 'admin/metrics', epoch: 'e', seq: 1, data: { metrics: document(100) } })
    vi.advanceTimersByTime(1000)
    expect(invalidated()).toBe(false)
    deliver(metricsEvent(2, 1, 110))
    vi.advanceTimersByTime(0)
    expect(invalidated()).toBe(true)
    queries.setQueryData(adminKeys.dashboard('90d'), cached)
    deliver(metricsEvent(3, 2, 120))
    vi.advanceTimersByTime(9_999)
    expect(invalidated()).toBe(false)
    vi.advanceTimersByTime(1)
    expect(invalidated()).toBe(true)
  })
  test('the plans are read again when the figures move: their subscriptions are counted anew', () => {
    const isStale = () => queries.getQueryState(adminKeys.plans)?.isInvalidated
    queries.setQueryData(adminKeys.plans, {})
    deliver({ type: 'snapshot', channel: 'admin/metrics', epoch: 'e', seq: 1, data: { metrics: document(100) } })
    vi.advanceTimersByTime(1000)
    expect(isStale()).toBe(false)
    deliver(metricsEvent(2, 1, 110))
    vi.advanceTimersByTime(0)
    expect(isStale()).toBe(true)
  })
  test('activities come on top in their order, repeats once', () => {
    deliver(
      { type: 'snapshot', channel: 'admin/activity', epoch: 'e', seq: 4, data: { activities: [] } },
      activityEvent(5),
      activityEvent(6),
      activityEvent(6),
      activityEvent(5),
    )
    vi.advanceTimersByTime(0)
    expect(list()).toEqual(['a6', 'a5'])
  })
  test('a list that is being read when an activity comes is read again, for the answer may lack it', async () => {
    const answers: ((list: Activity[]) => void)[] = []
    const queryFn = () => new Promise<Activity[]>((answer) => answers.push(answer))
    const stop = new QueryObserver(queries, { queryKey: adminKeys.activity(10), queryFn }).subscribe(() => undefined)
    deliver({ type: 'snapshot', channel: 'admin/activity', epoch: 'e', seq: 4, data: {} })
    const before = answers.length
    deliver(activityEvent(5))
    await vi.advanceTimersByTimeAsync(0)
    expect(answers).toHaveLength(before + 1)
    for (const answer of answers.slice(0, before)) answer([])
    await vi.advanceTimersByTimeAsync(0)
    expect(list()).toEqual(['a5'])
    stop()
  })
  test('a flood of activities changes the list once a second and ends with the newest', () => {
    const changes = vi.fn()
    const stop = queries.getQueryCache().subscribe(({ type }) => type === 'updated' && changes())
    deliver({ type: 'snapshot', channel: 'admin/activity', epoch: 'e', seq: 4, data: {} })
    changes.mockClear()
    for (let seq = 5; seq < 605; seq += 1) {
      deliver(activityEvent(seq))
      vi.advanceTimersByTime(5)
    }
    vi.advanceTimersByTime(1000)
    stop()
    expect(changes.mock.calls.length).toBeLessThanOrEqual(5)
    expect(list()).toEqual(Array.from({ length: 10 }, (_, index) => `a${604 - index}`))
  })
  test('payments are read again when one of them is told of, at most every ten seconds', () => {
    const reads = vi.spyOn(queries, 'invalidateQueries')
    const readsOf = (key: readonly string[]) =>
      reads.mock.calls.filter(([filters]) => filters?.queryKey?.join() === key.join()).length
    deliver({ type: 'snapshot', channel: 'admin/activity', epoch: 'e', seq: 4, data: {} })
    vi.advanceTimersByTime(0)
    expect([adminKeys.payments, adminKeys.reviews].map(readsOf)).toEqual([1, 1])
    for (let seq = 5; seq < 25; seq += 1) {
      deliver(activityEvent(seq))
      vi.advanceTimersByTime(1000)
    }
    expect([adminKeys.payments, adminKeys.reviews].map(readsOf)).toEqual([3, 3])
  })
  test('a pause begins with everything shown that came before it, and nothing moves after', () => {
    deliver({ type: 'snapshot', channel: 'admin/metrics', epoch: 'e', seq: 1, data: { metrics: document(100) } })
    vi.advanceTimersByTime(0)
    deliver(metricsEvent(2, 1, 120))
    const invalidated = () => queries.getQueryState(adminKeys.dashboard('90d'))?.isInvalidated
    act(() => setLiveStatus({ paused: true }))
    expect(shown()?.mrr.value).toBe(120)
    queries.setQueryData(adminKeys.dashboard('90d'), cached)
    vi.advanceTimersByTime(70_000)
    expect(shown()).toEqual(cached)
    expect(invalidated()).toBe(false)
  })
  test('a screen that was left reads nothing any more', () => {
    cleanup()
    deliver({ type: 'snapshot', channel: 'admin/activity', epoch: 'e', seq: 4, data: {} }, activityEvent(5))
    expect(list()).toEqual([])
  })
})

function Screen() {
  useLiveMetrics()
  useLivePlans()
  useLiveActivity()
  return null
}
