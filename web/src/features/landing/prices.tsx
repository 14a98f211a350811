// The plans on sale: a card each with what is in it, and all of them side by side, as on the page of the plans.
import { useState } from 'react'
import type { Plan } from '../../api/plans'
import { chosenPlanPath, helpPath, paths, withQuery } from '../../lib/paths'
import type { BillingCycle } from '../../lib/labels'
import { isContactSales, offerLines } from '../../lib/plans'
import { Badge } from '../../ui/badge'
import { buttonClass } from '../../ui/button'
import { ComparePlans } from '../../ui/compare-plans'
import { CycleChoice } from '../../ui/cycle-choice'
import { CheckIcon } from '../../ui/icons'
import { PlanPrice } from '../../ui/plan-price'
import { Skeleton } from '../../ui/skeleton'

interface PricesProps {
  /** Null while they are loading. */
  plans: Plan[] | null
  salesEmail: string | null
}

export function Prices({ plans, salesEmail }: PricesProps) {
  const [cycle, setCycle] = useState<BillingCycle>('monthly')
  const startsFree = plans === null || plans.some(({ isFree }) => isFree)
  return (
    <section
      id="precos"
      aria-busy={plans === null}
      className="mx-auto grid max-w-[1200px] grid-cols-[minmax(0,1fr)] gap-8 px-4 pt-16 md:px-6 lg:px-8 lg:pt-24"
    >
      <div className="flex flex-wrap items-end gap-4">
        <div className="mr-auto grid gap-1">
          <h2 className="text-h1">Preços</h2>
          <p className="text-muted">{startsFree && 'Comece de graça. '}Mude de plano quando o volume mudar.</p>
        </div>
        <CycleChoice plans={plans ?? []} cycle={cycle} onCycle={setCycle} />
      </div>
      <ul role="list" className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-5">
        {plans?.map((plan) => <PriceCard key={plan.id} plan={plan} cycle={cycle} salesEmail={salesEmail} />) ??
          Array.from({ length: 5 }, (_, index) => (
            <li key={index}>
              <Skeleton className="h-104" />
            </li>
          ))}
      </ul>
      {plans && <ComparePlans plans={plans} cycle={cycle} />}
    </section>
  )
}

interface PriceCardProps {
  plan: Plan
  cycle: BillingCycle
  salesEmail: string | null
}

function PriceCard({ plan, cycle, salesEmail }: PriceCardProps) {
  const contact = isContactSales(plan, cycle)
  return (
    <li
      className={`row-span-5 grid min-w-0 grid-rows-subgrid rounded-card border bg-surface p-5 sm:max-lg:last:odd:col-span-full ${plan.isPopular ? 'border-primary' : 'border-line'}`}
    >
      <div className="flex flex-wrap content-start items-center gap-2">
        <h3 className="wrap-anywhere">{plan.displayName}</h3>
        {plan.isPopular && <Badge tone="beam">Mais Popular</Badge>}
      </div>
      <PlanPrice compact plan={plan} cycle={cycle} />
      <p className="tear pt-4 wrap-anywhere text-muted">{plan.description}</p>
      <ul role="list" className="grid content-start gap-2 pb-2">
        {offerLines(plan.limits, plan.features).map((line, index) => (
          <li key={`${index} ${line}`} className="flex items-start gap-2">
            <CheckIcon className="mt-0.5 size-4 shrink-0 text-success" aria-hidden="true" />
            <span className="min-w-0 wrap-anywhere">{line}</span>
          </li>
        ))}
      </ul>
      <a
        href={
          contact
            ? salesPath(salesEmail, plan)
            : withQuery(paths.signUp, { next: chosenPlanPath(plan.id, plan.isFree ? 'monthly' : cycle) })
        }
        className={buttonClass({ variant: plan.isPopular ? 'primary' : 'secondary' })}
        aria-label={`${contact ? 'Falar com vendas' : 'Começar'}: ${plan.displayName}`}
      >
        {contact ? 'Falar com vendas' : 'Começar'}
      </a>
    </li>
  )
}

/** Until the address of the sales team is known, to the help at the page's end. */
function salesPath(salesEmail: string | null, { displayName }: Plan): string {
  return salesEmail ? `mailto:${salesEmail}?subject=${encodeURIComponent(`Plano ${displayName}`)}` : helpPath
}
