// The selected company: the payment that waits, its subscription, counters of its people, what happened lately, the
// quick actions.
import { useQuery } from '@tanstack/react-query'
import { companyQuery, type Company } from '../../api/companies'
import { subscriptionQuery } from '../../api/subscriptions'
import { Card, CardHeader } from '../../ui/card'
import { Counters, CountersSkeleton } from '../../ui/counters'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { Skeleton } from '../../ui/skeleton'
import { OpenPayment } from './open-payment'
import { QuickActions } from './quick-actions'
import { RecentActivity } from './recent-activity'
import { SubscriptionSummary } from './subscription-summary'

export function CompanyOverview({ company }: { company: Company }) {
  const query = useQuery(companyQuery(company.id))
  const subscription = useQuery(subscriptionQuery(company.id))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <DataArea
        query={subscription}
        errorTitle="Erro ao carregar assinatura"
        skeleton={<Skeleton className="h-38 w-full" />}
        className={settlesFirst}
        live
      >
        {(current) => (
          <div className="grid gap-6">
            {current?.payment && <OpenPayment payment={current.payment} />}
            <SubscriptionSummary subscription={current} />
          </div>
        )}
      </DataArea>
      <DataArea query={query} errorTitle="Erro ao carregar detalhes da empresa" skeleton={<CountersSkeleton />} live>
        {({ stats }) => (
          <Counters
            counters={[
              ['Total de usuários', stats.total],
              ['Usuários ativos', stats.active],
              ['Administradores', stats.admins],
              ['Operadores', stats.operators],
            ]}
          />
        )}
      </DataArea>
      <RecentActivity company={company} />
      <Card>
        <CardHeader title="Ações rápidas" />
        <QuickActions company={company} />
      </Card>
    </div>
  )
}
