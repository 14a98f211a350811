// The company's subscription in a page: its card, or the way to the plans where there is none.
import { useQuery } from '@tanstack/react-query'
import { mayManage, type Company } from '../../api/companies'
import { subscriptionQuery } from '../../api/subscriptions'
import { useIsLive } from '../../live/status'
import { Button } from '../../ui/button'
import { Card } from '../../ui/card'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { Skeleton } from '../../ui/skeleton'
import { SubscriptionCard, type CardProps } from './subscription-card'

type AreaProps = Omit<CardProps, 'subscription' | 'canManage'> & { company: Company }

export function SubscriptionArea({ company, ...rest }: AreaProps) {
  const query = useQuery(subscriptionQuery(company.id))
  return (
    <DataArea
      query={query}
      live={useIsLive()}
      errorTitle="Erro ao carregar assinatura"
      skeleton={<Skeleton className="h-60 sm:h-38" />}
      className={settlesFirst}
    >
      {(current) =>
        current ? (
          <SubscriptionCard subscription={current} canManage={mayManage(company)} {...rest} />
        ) : (
          <NoSubscription onChangePlan={rest.onChangePlan} />
        )
      }
    </DataArea>
  )
}

function NoSubscription({ onChangePlan }: { onChangePlan: () => void }) {
  return (
    <Card className="flex flex-wrap items-center justify-between gap-4">
      <div className="grid gap-1">
        <h2 tabIndex={-1} className="text-h3">
          Assinatura
        </h2>
        <p className="text-muted">Você ainda não tem uma assinatura</p>
      </div>
      <Button variant="secondary" className="max-sm:w-full" onClick={onChangePlan}>
        Ver Planos
      </Button>
    </Card>
  )
}
