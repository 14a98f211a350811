// "Analytics": the numbers of the business by month, as charts that are tables too. The only route that loads recharts.
import { lazy, Suspense, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import {
  adminKeys,
  churnQuery,
  dashboardQuery,
  revenueQuery,
  usersByMonthQuery,
  type MetricName,
  type Metrics,
  type Period,
} from '../../../api/admin'
import { PauseButton } from '../../../live/pause-button'
import { useIsLive } from '../../../live/status'
import { DataArea, FailedArea, settlesFirst } from '../../../ui/data-area'
import { Page } from '../../../ui/page'
import { Skeleton } from '../../../ui/skeleton'
import { ChurnBlock } from './churn-block'
import { useLiveMetrics } from '../live-metrics'
import { MetricCard } from '../metric-card'
import { periodLabels } from '../metrics'
import { PeriodSelect, usePeriod } from '../period-select'
import { RefreshButton } from '../refresh-button'
import { RevenueBlock } from './revenue-block'
import { UserBlock } from './user-block'

const CostsDialog = lazy(() => import('./costs-dialog').then((module) => ({ default: module.CostsDialog })))

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
const grid = 'grid grid-cols-1 gap-3 min-[420px]:grid-cols-2 sm:gap-4 lg:grid-cols-3'

export function AdminAnalyticsPage() {
  const [period, setPeriod] = usePeriod()
  const [askingCosts, setAskingCosts] = useState(false)
  useLiveMetrics()
  const metrics = useQuery(dashboardQuery(period))
  const revenue = useQuery(revenueQuery(period))
  const churn = useQuery(churnQuery(period))
  const users = useQuery(usersByMonthQuery(period))
  const all = [metrics, revenue, churn, users]
  const live = useIsLive()

  return (
    <Page title="Analytics">
      <div className="no-print flex flex-wrap items-center justify-between gap-3">
        <PeriodSelect labels={periodLabels} value={period} onChange={setPeriod} />
        <div className="flex flex-wrap gap-2 max-sm:w-full max-sm:[&>*]:grow">
          <PauseButton />
          <RefreshButton queryKeys={REFRESHED} />
        </div>
      </div>
      {all.every(({ isError, data }) => isError && !data) ? (
        <FailedArea
          title={ERROR}
          error={metrics.error}
          busy={all.some(({ isFetching }) => isFetching)}
          onRetry={() => Promise.all(all.map(({ refetch }) => refetch()))}
        />
      ) : (
        <>
          <section aria-label="Métricas" className={settlesFirst}>
            <DataArea query={metrics} live={live} errorTitle={ERROR} skeleton={<CardsSkeleton />}>
              {(data) => <Cards metrics={data} period={period} onAskCosts={() => setAskingCosts(true)} />}
            </DataArea>
          </section>
          <DataArea
            query={revenue}
            live={live}
            errorTitle={ERROR}
            skeleton={<Skeleton className="h-176" />}
            className={settlesFirst}
          >
            {({ rows }) => <RevenueBlock rows={rows} />}
          </DataArea>
          <DataArea
            query={churn}
            live={live}
            errorTitle={ERROR}
            skeleton={<Skeleton className="h-64" />}
            className={settlesFirst}
          >
            {({ rows }) => <ChurnBlock rows={rows} />}
          </DataArea>
          <DataArea query={users} live={live} errorTitle={ERROR} skeleton={<Skeleton className="h-96" />}>
            {({ rows }) => <UserBlock rows={rows} />}
          </DataArea>
        </>
      )}
      <Suspense fallback={null}>{askingCosts && <CostsDialog onClose={() => setAskingCosts(false)} />}</Suspense>
    </Page>
  )
}

function Cards({ metrics, period, onAskCosts }: { metrics: Metrics; period: Period; onAskCosts: () => void }) {
  const inform = (
    <button type="button" className="link min-h-6 justify-self-start self-start text-label" onClick={onAskCosts}>
      Informar investimento
    </button>
  )
  return (
    <ul className={grid}>
      {cards.map(([name, label]) => (
        <MetricCard
          key={name}
          name={name}
          label={label}
          metric={metrics[name]}
          period={period}
          action={name === 'cac' && inform}
        />
      ))}
    </ul>
  )
}

function CardsSkeleton() {
  return (
    <div className={grid}>
      {cards.map(([name]) => (
        <Skeleton key={name} className="h-29.5" />
      ))}
    </div>
  )
}
