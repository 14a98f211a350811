// The page "Assinaturas": what the company holds, and everything that happened to it, newest first.
import type { ComponentType } from 'react'
import { Link, useNavigate } from 'react-router'
import { useQuery } from '@tanstack/react-query'
import type { Company } from '../../api/companies'
import { subscriptionQuery, type Subscription } from '../../api/subscriptions'
import { paths, renewalPath } from '../../app/paths'
import { useCompany } from '../../auth/company'
import { useIsLive } from '../../live/status'
import { buttonClass } from '../../ui/button'
import { DataArea, EmptyArea, LoadingArea, settlesFirst } from '../../ui/data-area'
import { CompanyIcon } from '../../ui/icons'
import { Page } from '../../ui/page'
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
  const { company, query } = useCompany()
  return (
    <Page title="Assinaturas">
      {company ? (
        <CompanySubscription key={company.id} company={company} card={card} />
      ) : query.isPending ? (
        <LoadingArea>
          <SkeletonLines count={6} />
        </LoadingArea>
      ) : (
        <NoCompany />
      )}
    </Page>
  )
}

function NoCompany() {
  return (
    <EmptyArea
      icon={CompanyIcon}
      title="Nenhuma empresa selecionada"
      action={
        <Link to={paths.dashboard} className={buttonClass()}>
          Voltar ao Dashboard
        </Link>
      }
    />
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
        {(held) => (
          <Card
            companyId={company.id}
            subscription={held}
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
