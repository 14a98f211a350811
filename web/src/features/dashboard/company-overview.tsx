// The selected company: the payment that waits, its subscription, counters of its people, the quick actions.
import { useQuery } from '@tanstack/react-query'
import { companyQuery, type Company } from '../../api/companies'
import { subscriptionQuery } from '../../api/subscriptions'
import { Card, CardHeader } from '../../ui/card'
import { DataArea } from '../../ui/data-area'
import { Skeleton } from '../../ui/skeleton'
import { OpenPayment } from './open-payment'
import { QuickActions } from './quick-actions'
import { SubscriptionSummary } from './subscription-summary'

export function CompanyOverview({ company }: { company: Company }) {
  const query = useQuery(companyQuery(company.id))
  const subscription = useQuery(subscriptionQuery(company.id))
  const waiting = subscription.data?.payment
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      {waiting && <OpenPayment payment={waiting} />}
      <DataArea query={subscription} errorTitle="Erro ao carregar assinatura" skeleton={<Skeleton className="h-32 w-full" />} live>
        {(held) => <SubscriptionSummary subscription={held} />}
      </DataArea>
      <DataArea query={query} errorTitle="Erro ao carregar detalhes da empresa" skeleton={<CountersSkeleton />} live>
        {({ stats }) => (
          <dl className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
            <Counter label="Total de usuários" value={stats.total} />
            <Counter label="Usuários ativos" value={stats.active} />
            <Counter label="Administradores" value={stats.admins} />
            <Counter label="Operadores" value={stats.operators} />
          </dl>
        )}
      </DataArea>
      <Card>
        <CardHeader title="Ações rápidas" />
        <QuickActions role={company.userRole} />
      </Card>
    </div>
  )
}

function Counter({ label, value }: { label: string; value: number }) {
  return (
    <div className="flex flex-col-reverse gap-1 rounded-card border border-line bg-surface p-4">
      <dt className="text-label text-muted">{label}</dt>
      <dd className="text-h2 font-bold tabular-nums">{value.toLocaleString('pt-BR')}</dd>
    </div>
  )
}

function CountersSkeleton() {
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      <Skeleton className="h-22" />
      <Skeleton className="h-22" />
      <Skeleton className="h-22" />
      <Skeleton className="h-22" />
    </div>
  )
}
