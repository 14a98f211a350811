// The selected company: the payment that waits, its subscription, counters of its people, what happened lately, the
// quick actions.
import { useQuery } from '@tanstack/react-query'
import { companyQuery, isOpen, mayManage, maySeeMoney, type Company } from '../../api/companies'
import { subscriptionQuery } from '../../api/subscriptions'
import { addUserPath, paths } from '../../lib/paths'
import { useIsLive } from '../../live/status'
import { ActionTiles } from '../../ui/action-tiles'
import { Card, CardHeader } from '../../ui/card'
import { CompanyCounters, CountersSkeleton } from '../../ui/counters'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { AnalyticsIcon, CompanyIcon, DeliveryIcon, PaymentIcon, PlanIcon, UsersIcon } from '../../ui/icons'
import { Skeleton } from '../../ui/skeleton'
import { FirstSteps } from './first-steps'
import { OpenPayment } from './open-payment'
import { RecentActivity } from './recent-activity'
import { SubscriptionSummary } from './subscription-summary'

export function CompanyOverview({ company }: { company: Company }) {
  const query = useQuery(companyQuery(company.id))
  const subscription = useQuery(subscriptionQuery(company.id))
  const isLive = useIsLive()
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <DataArea
        query={subscription}
        errorTitle="Erro ao carregar assinatura"
        skeleton={<Skeleton className="h-38 w-full" />}
        className={settlesFirst}
        live={isLive}
      >
        {(current) => (
          <div className="grid gap-6">
            {current?.payment && <OpenPayment payment={current.payment} />}
            <SubscriptionSummary subscription={current} canManage={mayManage(company)} />
          </div>
        )}
      </DataArea>
      <DataArea
        query={query}
        errorTitle="Erro ao carregar detalhes da empresa"
        skeleton={<CountersSkeleton count={5} />}
        className={settlesFirst}
        live={isLive}
      >
        {(detail) => (
          <div className="grid gap-6">
            {subscription.data !== undefined && (
              <FirstSteps company={company} detail={detail} subscription={subscription.data} />
            )}
            <CompanyCounters stats={detail.stats} />
          </div>
        )}
      </DataArea>
      <RecentActivity company={company} />
      <QuickActions company={company} />
    </div>
  )
}

/** Inviting is for the company's administrators. */
function QuickActions({ company }: { company: Company }) {
  const invites = company.userRole === 'admin' && isOpen(company)
  return (
    <Card>
      <CardHeader title="Ações rápidas" />
      <ActionTiles
        actions={[
          { label: 'Ver Planos', icon: PlanIcon, to: paths.plans },
          { label: 'Gerenciar Empresa', icon: CompanyIcon, to: paths.companyManage },
          ...(invites ? [{ label: 'Convidar Usuário', icon: UsersIcon, to: addUserPath }] : []),
          ...(maySeeMoney(company) ? [{ label: 'Pagamentos', icon: PaymentIcon, to: paths.payments }] : []),
          { label: 'Entregas', icon: DeliveryIcon },
          { label: 'Relatórios', icon: AnalyticsIcon },
        ]}
      />
    </Card>
  )
}
