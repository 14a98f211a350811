// "Analytics": the numbers of the business as charts that are tables too, by month and, for a short period, by day.
import { Suspense, useState, type ComponentType } from 'react'
import { useQuery, type QueryClient } from '@tanstack/react-query'
import {
  adminKeys,
  churnQuery,
  dashboardQuery,
  revenueQuery,
  userRowsQuery,
  type MetricName,
  type Period,
} from '../../../api/admin'
import { lazyDialog } from '../../../api/lazy-dialog'
import { useIsLive } from '../../../live/status'
import { DataArea, FailedArea, settlesFirst, type AreaQuery } from '../../../ui/data-area'
import { Page } from '../../../ui/page'
import { Skeleton } from '../../../ui/skeleton'
import type { Address } from '../../../ui/url-state'
import { useAnnounceFailure } from '../../../ui/use-announce-failure'
import { ChurnBlock } from './churn-block'
import { useLiveMetrics } from '../live-metrics'
import { MetricCards } from '../metric-cards'
import { periodLabels, readPeriod } from '../metrics'
import { PeriodBar, usePeriod } from '../period-bar'
import { PrintHead } from '../print-head'
import { RevenueBlock } from './revenue-block'
import { UserBlock } from './user-block'

const CostsDialog = lazyDialog(() => import('./costs-dialog'))

const ERROR = 'Erro ao carregar analytics'
const cards: [name: MetricName, label: string][] = [
  ['mrr', 'MRR'],
  ['arr', 'ARR'],
  ['churn', 'Churn'],
  ['mau', 'MAU'],
  ['ltv', 'LTV'],
  ['cac', 'CAC'],
]
const REFRESHED = [adminKeys.dashboards, adminKeys.series]
/** Three points of a month each would say nothing of them. */
const shortPeriods: readonly Period[] = ['7d', '30d']

AdminAnalyticsPage.prefetch = (queries: QueryClient, address: Address) => {
  const period = readPeriod(address.get('period'))
  void queries.prefetchQuery(dashboardQuery(period))
  void queries.prefetchQuery(revenueQuery(period))
  if (shortPeriods.includes(period)) void queries.prefetchQuery(revenueQuery(period, 'day'))
}

export function AdminAnalyticsPage() {
  const [period, setPeriod] = usePeriod()
  const [isEditingCosts, setIsEditingCosts] = useState(false)
  useLiveMetrics()
  const metrics = useQuery(dashboardQuery(period))
  const revenue = useQuery(revenueQuery(period))
  const churn = useQuery(churnQuery(period))
  const users = useQuery(userRowsQuery(period))
  const isShort = shortPeriods.includes(period)
  const revenueDays = useQuery({ ...revenueQuery(period, 'day'), enabled: isShort })
  const userDays = useQuery({ ...userRowsQuery(period, 'day'), enabled: isShort })
  const all = [metrics, revenue, churn, users]
  const isRead = all.some(({ data }) => data !== undefined)
  const allFailed = !isRead && all.every(({ isError }) => isError)
  useAnnounceFailure(ERROR, allFailed, isRead)
  const inform = (
    <button
      type="button"
      className="link min-h-6 justify-self-start self-start text-label"
      onClick={() => setIsEditingCosts(true)}
    >
      Informar investimento
    </button>
  )

  return (
    <Page title="Analytics">
      <PrintHead title="Analytics" period={period} />
      <PeriodBar labels={periodLabels} period={period} onPeriod={setPeriod} refreshed={REFRESHED} />
      {allFailed ? (
        <FailedArea
          title={ERROR}
          error={metrics.error}
          busy={all.some(({ isFetching }) => isFetching)}
          onRetry={() => Promise.all(all.map(({ refetch }) => refetch()))}
        />
      ) : (
        <>
          <MetricCards
            query={metrics}
            errorTitle={ERROR}
            cards={cards.map(([name, label]) => ({ name, label, action: name === 'cac' && inform }))}
            className="lg:grid-cols-3"
          />
          <Months query={revenue} days={isShort ? revenueDays : undefined} height="h-176" block={RevenueBlock} />
          <Months query={churn} height="h-64" block={ChurnBlock} />
          <Months query={users} days={isShort ? userDays : undefined} height="h-96" block={UserBlock} />
        </>
      )}
      <Suspense fallback={null}>{isEditingCosts && <CostsDialog onClose={() => setIsEditingCosts(false)} />}</Suspense>
    </Page>
  )
}

interface MonthsProps<Row> {
  query: AreaQuery<{ rows: Row[] }>
  /** The same by day; without them, and when they could not be read, the charts show the months. */
  days?: AreaQuery<{ rows: Row[] }> | undefined
  /** Of the skeleton. */
  height: string
  block: ComponentType<{ rows: readonly Row[]; steps: readonly Row[] }>
}

function Months<Row>({ query, days, height, block: Block }: MonthsProps<Row>) {
  return (
    <DataArea
      query={days?.isPending ? { ...query, isPending: true } : query}
      live={useIsLive()}
      errorTitle={ERROR}
      skeleton={<Skeleton className={height} />}
      className={settlesFirst}
    >
      {({ rows }) => <Block rows={rows} steps={days?.data?.rows ?? rows} />}
    </DataArea>
  )
}
