// The page "Assinaturas": what the company holds, and everything that happened to it, newest first.
import type { ComponentType } from 'react'
import { useNavigate } from 'react-router'
import { useQuery } from '@tanstack/react-query'
import type { Company } from '../../api/companies'
import { subscriptionQuery, type Subscription } from '../../api/subscriptions'
import { paths, renewalPath } from '../../lib/paths'
import { CompanyPage } from '../../auth/company-page'
import { useIsLive } from '../../live/status'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { Skeleton, SkeletonLines } from '../../ui/skeleton'
import { Timeline } from './timeline'

/** The card of the plans page; the router hands it in, because features do not know each other. */
export type SubscriptionCardOf = ComponentType<{
  companyId: string
  subscription: Subscription | null
  canManage: boolean
  onChangePlan: () => void
  onPayAgain: () => void
}>

export function SubscriptionsPage({ card }: { card: SubscriptionCardOf }) {
  return (
    <CompanyPage title="Assinaturas" skeleton={<SkeletonLines count={6} />}>
      {(company) => <CompanySubscription company={company} card={card} />}
    </CompanyPage>
  )
}

function CompanySubscription({ company, card: Card }: { company: Company; card: SubscriptionCardOf }) {
  const subscription = useQuery(subscriptionQuery(company.id))
  const navigate = useNavigate()
  const choosePlan = () => void navigate(paths.plans)
  const live = useIsLive()
  return (
    <>
      <DataArea
        query={subscription}
        live={live}
        errorTitle="Erro ao carregar assinatura"
        skeleton={<Skeleton className="h-60 sm:h-38" />}
        className={settlesFirst}
      >
        {(current) => (
          <Card
            companyId={company.id}
            subscription={current}
            canManage={company.userRole !== 'operator' && company.status !== 'suspended'}
            onChangePlan={choosePlan}
            onPayAgain={() => void navigate(renewalPath(company.id))}
          />
        )}
      </DataArea>
      <Timeline companyId={company.id} live={live} />
    </>
  )
}
