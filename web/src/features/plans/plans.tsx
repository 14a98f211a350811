// The page 'Planos e Assinaturas': the company's subscription, the plans on sale, and the way from a choice to a
// payment.
import { useEffect, useState, type ComponentType } from 'react'
import { useQuery, type QueryClient } from '@tanstack/react-query'
import { plansQuery, type Plan } from '../../api/plans'
import { subscriptionQuery } from '../../api/subscriptions'
import { mayManage, type Company } from '../../api/companies'
import { CompanyPage } from '../../auth/company-page'
import { useLinkedCompany } from '../../auth/use-linked-company'
import { useRetrySeconds } from '../../ui/failure-alert'
import { LockIcon } from '../../ui/icons'
import { SkeletonLines } from '../../ui/skeleton'
import { REDUCED_MOTION } from '../../ui/use-media'
import { Catalogue, PLANS_HEADING } from './catalogue'
import { ChangeAlert } from './change-alert'
import { ContactSales } from './contact-sales'
import { PlansWithoutCompany } from './plans-without-company'
import { PreviewDialog } from './preview-dialog'
import { SubscriptionArea } from './subscription-area'
import { undoChange } from './undo-change'
import { useCommand } from './use-command'
import { usePayLink } from './use-pay-link'
import { usePlanChange } from './use-plan-change'
import { usePlanLink } from './use-plan-link'

interface PlansProps {
  /** The saved cards, another feature's part of this page; the router puts them together. */
  methods: ComponentType<{ companyId: string }>
}

export function PlansPage({ methods }: PlansProps) {
  useLinkedCompany()
  return (
    <CompanyPage
      title="Planos e Assinaturas"
      skeleton={<SkeletonLines count={6} />}
      noCompanyText="Selecione uma empresa para gerenciar planos"
      withoutCompany={<PlansWithoutCompany />}
    >
      {(company) => <CompanyPlans company={company} methods={methods} />}
    </CompanyPage>
  )
}

PlansPage.prefetch = (queries: QueryClient) => void queries.prefetchQuery(plansQuery())

function CompanyPlans({ company, methods: Methods }: PlansProps & { company: Company }) {
  const plans = useQuery(plansQuery())
  const subscription = useQuery(subscriptionQuery(company.id))
  const change = usePlanChange(company.id, plans.data ?? [], subscription.data ?? null)
  const undo = useCommand(company.id)
  const [contact, setContact] = useState<Plan | null>(null)
  const canManage = mayManage(company)
  const { close } = change
  // The preview ends with the right to change the plan, and does not come back with it.
  useEffect(() => {
    if (!canManage) close()
  }, [canManage, close])
  const wait = Math.max(useRetrySeconds(change.failure?.error), useRetrySeconds(undo.failure?.error))
  usePayLink({ subscription: subscription.data, canManage, payNow: change.chooseAndPay })
  usePlanLink({
    plans: plans.data,
    subscription: subscription.data,
    canManage,
    choose: change.choose,
    contact: setContact,
  })

  return (
    <>
      <ChangeAlert failure={change.failure} onClose={change.dismissFailure} />
      <ChangeAlert failure={undo.failure} onClose={undo.dismiss} />
      <SubscriptionArea company={company} onChangePlan={focusPlans} />
      {company.userRole === 'operator' && <ReadOnly />}
      {canManage && <Methods companyId={company.id} />}
      {/* What a plan offers depends on what is current. */}
      {subscription.isFetched && (
        <Catalogue
          query={plans}
          current={subscription.data}
          canManage={canManage && wait === 0}
          choosing={change.choosing}
          onChoose={change.choose}
          undo={{
            run: () => undoChange(undo, company.id),
            busy: undo.busy,
          }}
          onContact={setContact}
        />
      )}
      {change.preview && <PreviewDialog companyId={company.id} change={change} preview={change.preview} />}
      {contact && <ContactSales plan={contact} companyName={company.companyName} onClose={() => setContact(null)} />}
    </>
  )
}

/** Operators see everything here and change nothing: they are told before they try. */
function ReadOnly() {
  return (
    <p className="flex items-start gap-2 text-muted">
      <LockIcon className="mt-0.5 size-4 shrink-0" />
      Você vê os planos e os preços. Para assinar ou mudar de plano, fale com um administrador da empresa.
    </p>
  )
}

/** A style sheet cannot still a scroll that a script asks to be smooth. */
function focusPlans(): void {
  const heading = document.getElementById(PLANS_HEADING)
  heading?.scrollIntoView({ behavior: matchMedia(REDUCED_MOTION).matches ? 'instant' : 'smooth', block: 'start' })
  heading?.focus({ preventScroll: true })
}
