// "Admin Dashboard": the numbers of the business, moving live, the recent activity and the ways on.
import { Link } from 'react-router'
import { useQuery, type QueryClient } from '@tanstack/react-query'
import { activityQuery, adminKeys, dashboardQuery, revenueQuery, type MetricName } from '../../../api/admin'
import { reviewsQuery } from '../../../api/admin-payments'
import { newPlanPath, paths } from '../../../lib/paths'
import { buttonClass } from '../../../ui/button'
import { Card, CardHeader } from '../../../ui/card'
import { cx } from '../../../ui/cx'
import { FailedArea } from '../../../ui/data-area'
import { AddIcon, AnalyticsIcon, UsersIcon } from '../../../ui/icons'
import { Page } from '../../../ui/page'
import { useAnnounceFailure } from '../../../ui/use-announce-failure'
import type { Address } from '../../../ui/url-state'
import { ACTIVITY_STEP, ActivityList } from './activity-list'
import { ExportMenu } from './export-menu'
import { useLiveActivity, useLiveMetrics } from '../live-metrics'
import { MetricCards } from '../metric-cards'
import { readPeriod } from '../metrics'
import { PaymentReviews } from './payment-reviews'
import { PeriodBar, usePeriod } from '../period-bar'
import { PrintHead } from '../print-head'
import { Sparkline } from './sparkline'

const FAILED = 'Erro ao carregar dados do dashboard'
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

AdminDashboardPage.prefetch = (queries: QueryClient, address: Address) => {
  void queries.prefetchQuery(dashboardQuery(readPeriod(address.get('period'))))
  void queries.prefetchQuery(activityQuery(ACTIVITY_STEP))
  void queries.prefetchQuery(reviewsQuery())
}

export function AdminDashboardPage() {
  const [period, setPeriod] = usePeriod()
  useLiveMetrics()
  useLiveActivity()
  const metrics = useQuery(dashboardQuery(period))
  const activity = useQuery(activityQuery(ACTIVITY_STEP))
  const isRead = metrics.data !== undefined || activity.data !== undefined
  const allFailed = metrics.isError && activity.isError && !isRead
  useAnnounceFailure(FAILED, allFailed, isRead)

  return (
    <Page title="Admin Dashboard">
      <PrintHead title="Admin Dashboard" period={period} />
      <PeriodBar period={period} onPeriod={setPeriod} refreshed={REFRESHED}>
        <ExportMenu period={period} />
      </PeriodBar>
      {!allFailed && (
        <MetricCards
          query={metrics}
          errorTitle="Erro ao carregar métricas do dashboard"
          cards={cards.map(([name, label], index) => ({
            name,
            label,
            aside: name === 'mrr' && <MrrSparkline />,
            // Three in the first row, four in the second.
            className: index < 3 ? 'lg:col-span-4 first:min-[420px]:max-lg:col-span-2' : 'lg:col-span-3',
          }))}
          className="lg:grid-cols-12"
        />
      )}
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
              title={FAILED}
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

/** Decoration of its card: while it loads or fails, the card is whole without it. */
function MrrSparkline() {
  const { data } = useQuery(revenueQuery('1y'))
  return data ? <Sparkline label="MRR" rows={data.rows.map(({ month, mrr }) => ({ month, value: mrr }))} /> : null
}

function QuickActions() {
  const look = buttonClass({ variant: 'secondary' }, 'justify-start')
  return (
    <Card className="no-print">
      <CardHeader title="Ações rápidas" />
      <div className="grid gap-2 sm:max-lg:grid-cols-3">
        <Link to={newPlanPath} className={look}>
          <AddIcon />
          Criar Plano
        </Link>
        <Link to={paths.adminAnalytics} className={look}>
          <AnalyticsIcon />
          Ver Analytics
        </Link>
        <Link to={paths.adminUsers} className={look}>
          <UsersIcon />
          Gerenciar Usuários
        </Link>
      </div>
    </Card>
  )
}
