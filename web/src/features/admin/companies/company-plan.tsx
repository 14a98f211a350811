// The company's subscription as support reads it: where it stands, in words of the company's own page, what it costs
// and when, and what it brings in.
import type { AdminCompanyDetail } from '../../../api/admin'
import type { Subscription } from '../../../api/subscriptions'
import { formatDate } from '../../../lib/dates'
import { planAndCycle } from '../../../lib/labels'
import { formatReais } from '../../../lib/money'
import { priceText, statusOf, subscriptionState } from '../../../live/subscription-state'
import { StatusBadge } from '../../../ui/badge'
import { FactList, SheetSection } from '../record-sheet'

type PlanFacts = Pick<AdminCompanyDetail, 'running' | 'creditBalance' | 'subscription' | 'metrics'>

/** A server of an older build does not send `creditBalance`. */
export function CompanyPlan({ company }: { company: PlanFacts }) {
  const { running, creditBalance = 0, subscription, metrics } = company
  const income: Fact[] = [
    ['MRR', formatReais(subscription?.mrr ?? 0)],
    ['Receita em 30 dias', formatReais(metrics.revenue)],
  ]
  const unboughtFacts: Fact[] =
    creditBalance === 0
      ? []
      : [
          ['Plano', 'Sem assinatura'],
          ['Crédito', formatReais(creditBalance)],
        ]
  return (
    <SheetSection title="Plano" aside={running && <StatusBadge {...statusOf(running)} />}>
      <FactList facts={running ? [...factsOf(running), ...income] : unboughtFacts} none="Sem assinatura" />
    </SheetSection>
  )
}

type Fact = [name: string, value: string]

function factsOf(running: Subscription): Fact[] {
  const { plan, price, nextBillingDate, endDate, pendingChange, canceledAt, cancelReason } = running
  const state = subscriptionState(running)
  const facts: (Fact | false | null | undefined)[] = [
    ['Plano', plan.displayName],
    state && ['Situação', [state.line, state.detail].filter(Boolean).join('\n')],
    price > 0 && ['Preço', priceText(running)],
    nextBillingDate != null && ['Vencimento', formatDate(nextBillingDate)],
    endDate != null && ['Fim do período', formatDate(endDate)],
    pendingChange && [
      'Mudança agendada',
      `${planAndCycle(pendingChange.planName, pendingChange.billingCycle)}, em ${formatDate(pendingChange.effectiveDate)}`,
    ],
    canceledAt != null && ['Cancelada em', formatDate(canceledAt)],
    canceledAt != null && cancelReason ? ['Motivo do cancelamento', cancelReason] : undefined,
    ['Crédito', formatReais(running.creditBalance)],
  ]
  return facts.filter((fact) => Array.isArray(fact))
}
