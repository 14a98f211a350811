// How live frames change what the admin's screens hold. Totals, MRR and ARR come with the frame; what depends on the
// shown period (changes, churn, MAU) is read again, seldom.
import { useEffect, useEffectEvent, useState } from 'react'
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { adminKeys, type Activity, type Metric, type MetricName, type Metrics, type RevenueRow } from '../../api/admin'
import { write } from '../../api/newest'
import { dayOf } from '../../lib/dates'
import { useChannel } from '../../live/channels'
import { serverNow } from '../../live/server-clock'
import { useIsPaused } from '../../live/status'
import { Throttle } from './throttle'

/** What a person sees move: at most once a second. */
const COUNTERS_EVERY_MS = 1_000
const ACTIVITY_EVERY_MS = 1_000
/** No list has room for more. */
const MOST_WAITING = 100
const PERIOD_VALUES_EVERY_MS = 10_000
const SERIES_EVERY_MS = 60_000

const FROM_THE_FRAME: readonly MetricName[] = ['totalUsers', 'totalCompanies', 'totalSubscriptions', 'mrr', 'arr']

/** The document of a frame, event or snapshot. */
export function metricsOf(data: unknown): Metrics | null {
  if (typeof data !== 'object' || data === null || !('metrics' in data)) return null
  return data.metrics as Metrics
}

/** Takes over the values that do not depend on a period; everything else stays as the shown period has it. */
export function withLiveValues(cached: Metrics, live: Metrics): Metrics {
  const values = FROM_THE_FRAME.filter((name) => cached[name].value !== live[name].value)
  if (values.length === 0) return cached
  return {
    ...cached,
    ...Object.fromEntries(values.map((name) => [name, { ...cached[name], value: live[name].value } satisfies Metric])),
  }
}

/** The running month, or today, moves with the frame; a new one comes with the next read. */
export function withLiveMonth(rows: readonly RevenueRow[], mrr: number | null, running: string): RevenueRow[] {
  return rows.map((row) => (running.startsWith(row.month) && mrr !== null ? { ...row, mrr } : row))
}

/**
 * The list with the activities in `created`, in the server's order, cut to `room`. An activity is sent again with the
 * same id when its text changes: the later one replaces the earlier one.
 */
export function withActivities(cached: readonly Activity[], created: readonly Activity[], room: number): Activity[] {
  const latest = new Map([...cached, ...created].map((one) => [one.id, one]))
  return [...latest.values()].toSorted(newestFirst).slice(0, room)
}

function newestFirst(left: Activity, right: Activity): number {
  return Date.parse(right.timestamp) - Date.parse(left.timestamp) || (left.id < right.id ? 1 : -1)
}

function applyMetrics(queries: QueryClient, live: Metrics): void {
  queries.setQueriesData<Metrics>(
    { queryKey: adminKeys.dashboards },
    (cached) => cached && withLiveValues(cached, live),
  )
  const today = dayOf(serverNow())
  queries.setQueriesData<{ rows: RevenueRow[] }>(
    { queryKey: adminKeys.revenue },
    (cached) => cached && { ...cached, rows: withLiveMonth(cached.rows, live.mrr.value ?? null, today) },
  )
}

/** Reads `admin/metrics` while the calling screen is shown. */
export function useLiveMetrics(): void {
  const queries = useQueryClient()
  const [throttles] = useState(() => ({
    counters: new Throttle<Metrics>(COUNTERS_EVERY_MS, (live) => applyMetrics(queries, live)),
    period: new Throttle<null>(
      PERIOD_VALUES_EVERY_MS,
      () => void queries.invalidateQueries({ queryKey: adminKeys.dashboards }),
    ),
    series: new Throttle<null>(SERIES_EVERY_MS, () => void queries.invalidateQueries({ queryKey: adminKeys.series })),
  }))
  useChannel('admin/metrics', (patch) => {
    const live = metricsOf(patch.type === 'snapshot' ? patch.data : patch.event.data)
    if (live === null) return
    throttles.counters.push(live)
    // A snapshot repeats what was read when the screen opened.
    if (patch.type === 'snapshot') return
    throttles.period.push(null)
    throttles.series.push(null)
  })
  useThrottles(Object.values(throttles))
}

/** Reads the plans again when one changes, and seldom when the figures move: with them goes who subscribes to what. */
export function useLivePlans(): void {
  const queries = useQueryClient()
  const [throttle] = useState(
    () =>
      new Throttle<null>(PERIOD_VALUES_EVERY_MS, () => void queries.invalidateQueries({ queryKey: adminKeys.plans })),
  )
  useChannel('plans', () => void queries.invalidateQueries({ queryKey: adminKeys.plans }))
  useChannel('admin/metrics', (patch) => {
    if (patch.type === 'event') throttle.push(null)
  })
  useThrottles([throttle])
}

/** Reads `admin/activity` while the calling screen is shown. */
export function useLiveActivity(): void {
  const queries = useQueryClient()
  const [waiting] = useState<Activity[]>(() => [])
  const [throttles] = useState(() => ({
    list: new Throttle<null>(ACTIVITY_EVERY_MS, () => applyActivities(queries, waiting.splice(0).slice(-MOST_WAITING))),
    payments: new Throttle<null>(PERIOD_VALUES_EVERY_MS, () => rereadPayments(queries)),
  }))
  useChannel('admin/activity', (patch) => {
    // What happened while we were away is in no event: read again.
    if (patch.type === 'snapshot') {
      void queries.invalidateQueries({ queryKey: adminKeys.activities })
      throttles.payments.push(null)
      return
    }
    if (patch.event.name !== 'activity.created') return
    // A payment comes under review, and leaves it, as an activity.
    if (patch.event.data.type === 'payment') throttles.payments.push(null)
    waiting.push(patch.event.data)
    if (waiting.length > 2 * MOST_WAITING) waiting.splice(0, MOST_WAITING)
    throttles.list.push(null)
  })
  useThrottles(Object.values(throttles))
}

/** A pause begins with everything shown that came before it; a screen that was left does nothing more. */
function useThrottles(throttles: readonly Pick<Throttle<unknown>, 'settle' | 'stop'>[]): void {
  const paused = useIsPaused()
  const settle = useEffectEvent(() => {
    for (const throttle of throttles) throttle.settle()
  })
  const stop = useEffectEvent(() => {
    for (const throttle of throttles) throttle.stop()
  })
  useEffect(() => {
    if (paused) settle()
  }, [paused])
  useEffect(() => () => stop(), [])
}

function rereadPayments(queries: QueryClient): void {
  for (const queryKey of [adminKeys.reviews, adminKeys.payments]) void queries.invalidateQueries({ queryKey })
}

/** The list's key ends with how many entries it has room for. */
function applyActivities(queries: QueryClient, created: readonly Activity[]): void {
  for (const [queryKey, cached] of queries.getQueriesData<Activity[]>({ queryKey: adminKeys.activities })) {
    if (cached) write(queries, queryKey, withActivities(cached, created, Number(queryKey.at(-1))))
  }
}
