// The page 'Planos e Assinaturas': the company's subscription, the plans on sale, and the way from a choice to a
// payment.
import { useState, type ComponentType } from 'react'
import { useQuery } from '@tanstack/react-query'
import { plansQuery, type Plan } from '../../api/plans'
import { subscriptionQuery, withdrawPendingChange } from '../../api/subscriptions'
import { mayManage, type Company } from '../../api/companies'
import { CompanyPage } from '../../auth/company-page'
import { useLinkedCompany } from '../../auth/use-linked-company'
import { billingCycleLabels, type BillingCycle } from '../../lib/labels'
import { cycleLabel, CYCLES, isCycle } from '../../lib/plans'
import { useIsLive } from '../../live/status'
import { Badge } from '../../ui/badge'
import { cx } from '../../ui/cx'
import { DataArea, type AreaQuery } from '../../ui/data-area'
import { LockIcon, PlanIcon } from '../../ui/icons'
import { Segmented } from '../../ui/radio-cards'
import { Skeleton, SkeletonLines } from '../../ui/skeleton'
import { useUrlState } from '../../ui/url-state'
import { ChangeAlert } from './change-alert'
import { ComparePlans } from './compare-plans'
import { ContactSales } from './contact-sales'
import { PlanGrid, type GridProps } from './plan-grid'
import { PreviewDialog } from './preview-dialog'
import { SubscriptionArea } from './subscription-area'
import { useCommand } from './use-command'
import { usePayLink } from './use-pay-link'
import { usePlanChange } from './use-plan-change'

const PLANS_HEADING = 'planos'

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
    >
      {(company) => <CompanyPlans company={company} methods={methods} />}
    </CompanyPage>
  )
}

function CompanyPlans({ company, methods: Methods }: PlansProps & { company: Company }) {
  const plans = useQuery(plansQuery())
  const subscription = useQuery(subscriptionQuery(company.id))
  const change = usePlanChange(company.id, plans.data ?? [], subscription.data ?? null)
  const undo = useCommand(company.id)
  const [contact, setContact] = useState<Plan | null>(null)
  const canManage = mayManage(company)
  usePayLink({ subscription: subscription.data, canManage, payNow: change.chooseAndPay })

  return (
    <>
      <ChangeAlert failure={change.failure} onClose={change.dismissFailure} />
      <ChangeAlert failure={undo.failure} onClose={undo.dismiss} />
      <SubscriptionArea company={company} onChangePlan={focusPlans} />
      {company.userRole === 'operator' && <ReadOnly />}
      {canManage && <Methods companyId={company.id} />}
      {/* What a plan offers depends on what is current. */}
      {!subscription.isPending && (
        <Catalogue
          query={plans}
          current={subscription.data ?? null}
          canManage={canManage}
          choosing={change.choosing}
          onChoose={change.choose}
          onUndo={() => undo.run('Erro ao desfazer a mudança de plano', () => withdrawPendingChange(company.id))}
          undoing={undo.busy}
          onContact={setContact}
        />
      )}
      {change.preview && <PreviewDialog change={change} preview={change.preview} />}
      <ContactSales plan={contact} companyName={company.companyName} onClose={() => setContact(null)} />
    </>
  )
}

/** Operators see everything here and change nothing. */
function ReadOnly() {
  return (
    <p className="flex items-start gap-2 text-muted">
      <LockIcon className="mt-0.5 size-4 shrink-0" />
      <span>
        Você não tem permissão para esta ação. <span>Fale com um administrador da empresa</span>
      </span>
    </p>
  )
}

type CatalogueProps = Omit<GridProps, 'plans' | 'cycle'> & { query: AreaQuery<Plan[]> }

function Catalogue({ query, ...rest }: CatalogueProps) {
  const [cycle, setCycle] = useCycle(rest.current?.billingCycle ?? 'monthly')
  return (
    <section aria-labelledby={PLANS_HEADING} className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id={PLANS_HEADING} tabIndex={-1} className="scroll-mt-20">
          Planos
        </h2>
        <Segmented
          legend="Ciclo de cobrança"
          value={cycle}
          onChange={setCycle}
          options={cycleOptions(query.data ?? [])}
          // The plans tell what a cycle saves: until they have come, its options have other widths.
          className={cx('max-sm:w-full', query.isPending && 'invisible')}
        />
      </div>
      <DataArea
        query={query}
        live={useIsLive()}
        errorTitle="Erro ao carregar planos"
        skeleton={<GridSkeleton />}
        empty={{ icon: PlanIcon, text: 'Nenhum plano encontrado' }}
      >
        {(plans) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <PlanGrid plans={plans} cycle={cycle} {...rest} />
            <ComparePlans plans={plans} cycle={cycle} />
          </div>
        )}
      </DataArea>
    </section>
  )
}

function GridSkeleton() {
  return (
    <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
      {[0, 1, 2, 3].map((place) => (
        <Skeleton key={place} className="h-96" />
      ))}
    </div>
  )
}

function cycleOptions(plans: Plan[]) {
  return CYCLES.map((value) => {
    const label = cycleLabel(plans, value)
    return { value, label: billingCycleLabels[value], note: label && <Badge tone="beam">{label}</Badge> }
  })
}

/** Opens on the subscriber's own. The chosen one lives in the URL, so that a link and a reload show the same prices. */
function useCycle(own: BillingCycle): [BillingCycle, (cycle: BillingCycle) => void] {
  const url = useUrlState()
  const named = url.get('cycle')
  return [isCycle(named) ? named : own, (cycle) => url.set({ cycle: cycle === own ? '' : cycle })]
}

function focusPlans(): void {
  const heading = document.getElementById(PLANS_HEADING)
  heading?.scrollIntoView({ behavior: 'smooth', block: 'start' })
  heading?.focus({ preventScroll: true })
}
