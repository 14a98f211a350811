// "Admin Dashboard": the numbers of the business, moving live, the recent activity and the ways on.
import { Link } from 'react-router'
import { useQuery } from '@tanstack/react-query'
import {
  activityQuery,
  adminKeys,
  dashboardQuery,
  revenueQuery,
  type MetricName,
  type Metrics,
  type Period,
} from '../../../api/admin'
import { newPlanPath, paths } from '../../../lib/paths'
import { PauseButton } from '../../../live/pause-button'
import { useIsLive } from '../../../live/status'
import { buttonClass } from '../../../ui/button'
import { Card, CardHeader } from '../../../ui/card'
import { cx } from '../../../ui/cx'
import { DataArea, FailedArea, settlesFirst } from '../../../ui/data-area'
import { AddIcon, AnalyticsIcon, UsersIcon } from '../../../ui/icons'
import { Page } from '../../../ui/page'
import { Skeleton } from '../../../ui/skeleton'
import { ActivityList } from './activity-list'
import { ExportMenu } from './export-menu'
import { useLiveActivity, useLiveMetrics } from '../live-metrics'
import { MetricCard } from '../metric-card'
import { PaymentReviews } from './payment-reviews'
import { PeriodSelect, usePeriod } from '../period-select'
import { RefreshButton } from '../refresh-button'
import { Sparkline } from './sparkline'

const cards: [name: MetricName, label: string][] = [
  ['totalUsers', 'Total de Usuários'],
  ['totalCompanies', 'Empresas Ativas'],
  ['totalSubscriptions', 'Assinaturas Ativas'],
  ['mrr', 'MRR'],
  ['arr', 'ARR'],
  ['churn', 'Taxa de Churn'],
  ['mau', 'MAU'],
]
/** As `settlesFirst`; where there are two columns nothing stands below. */
const settlesFirstInOneColumn = 'max-lg:has-data-unsettled:[&~*]:invisible'
const REFRESHED = [adminKeys.dashboards, adminKeys.activities, adminKeys.series, adminKeys.reviews]
const grid = 'grid grid-cols-1 gap-3 min-[420px]:grid-cols-2 sm:gap-4 lg:grid-cols-12'

export function AdminDashboardPage() {
  const [period, setPeriod] = usePeriod()
  useLiveMetrics()
  useLiveActivity()
  const metrics = useQuery(dashboardQuery(period))
  const activity = useQuery(activityQuery(10))
  const allFailed = metrics.isError && !metrics.data && activity.isError && !activity.data

  return (
    <Page title="Admin Dashboard">
      <div className="no-print flex flex-wrap items-center justify-between gap-3">
        <PeriodSelect value={period} onChange={setPeriod} />
        <div className="flex flex-wrap gap-2 max-sm:w-full max-sm:[&>*]:grow">
          <PauseButton />
          <RefreshButton queryKeys={REFRESHED} />
          <ExportMenu period={period} />
        </div>
      </div>
      {!allFailed && <MetricCards query={metrics} period={period} />}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_304px] lg:grid-rows-[auto_1fr]">
        {/* What waits for a decision comes first where there is one column, and moves nothing where there are two. */}
        <div className={cx('grid empty:hidden lg:col-start-2 lg:row-start-2', settlesFirstInOneColumn)}>
          <PaymentReviews />
        </div>
        <div
          className={cx(
            'grid min-w-0 grid-cols-[minmax(0,1fr)] lg:col-start-1 lg:row-span-2 lg:row-start-1',
            settlesFirstInOneColumn,
          )}
        >
          {allFailed ? (
            <FailedArea
              title="Erro ao carregar dados do dashboard"
              error={metrics.error}
              busy={metrics.isFetching || activity.isFetching}
              onRetry={() => Promise.all([metrics.refetch(), activity.refetch()])}
            />
          ) : (
            <ActivityList />
          )}
        </div>
        <div className="grid lg:col-start-2 lg:row-start-1">
          <QuickActions />
        </div>
      </div>
    </Page>
  )
}

function MetricCards({ query, period }: { query: ReturnType<typeof useQuery<Metrics>>; period: Period }) {
  const live = useIsLive()
  return (
    <section aria-label="Métricas" className={settlesFirst}>
      <DataArea
        query={query}
        live={live}
        errorTitle="Erro ao carregar métricas do dashboard"
        skeleton={<CardsSkeleton />}
      >
        {(metrics) => (
          <ul className={grid}>
            {cards.map(([name, label], index) => (
              <MetricCard
                key={name}
                name={name}
                label={label}
                metric={metrics[name]}
                period={period}
                aside={name === 'mrr' && <MrrSparkline />}
                className={index < 3 ? 'lg:col-span-4 first:min-[420px]:max-lg:col-span-2' : 'lg:col-span-3'}
              />
            ))}
          </ul>
        )}
      </DataArea>
    </section>
  )
}

/** Decoration of its card: while it loads or fails, the card is whole without it. */
function MrrSparkline() {
  const { data } = useQuery(revenueQuery('1y'))
  return data ? <Sparkline label="MRR" rows={data.rows.map(({ month, mrr }) => ({ month, value: mrr }))} /> : null
}

function CardsSkeleton() {
  return (
    <div className={grid}>
      {cards.map(([name], index) => (
        <Skeleton
          key={name}
          className={index < 3 ? 'h-29.5 lg:col-span-4 first:min-[420px]:max-lg:col-span-2' : 'h-29.5 lg:col-span-3'}
        />
      ))}
    </div>
  )
}

function QuickActions() {
  const look = buttonClass({ variant: 'secondary' }, 'justify-start')
  return (
    <Card className="no-print">
      <CardHeader title="Ações rápidas" />
      <div className="grid gap-2 sm:max-lg:grid-cols-3">
        <Link to={newPlanPath} className={look}>
          <AddIcon strokeWidth={1.75} aria-hidden="true" />
          Criar Plano
        </Link>
        <Link to={paths.adminAnalytics} className={look}>
          <AnalyticsIcon strokeWidth={1.75} aria-hidden="true" />
          Ver Analytics
        </Link>
        <Link to={paths.adminUsers} className={look}>
          <UsersIcon strokeWidth={1.75} aria-hidden="true" />
          Gerenciar Usuários
        </Link>
      </div>
    </Card>
  )
}
