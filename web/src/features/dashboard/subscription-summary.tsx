// What the company has subscribed to, in a line, with the next date that matters.
import { Link } from 'react-router'
import type { Subscription } from '../../api/subscriptions'
import { paths } from '../../lib/paths'
import { formatDate } from '../../lib/dates'
import { billingCycleLabels, subscriptionStatuses } from '../../lib/labels'
import { formatReais } from '../../lib/money'
import { expiryText, isAhead } from '../../live/subscription-state'
import { StatusBadge } from '../../ui/badge'
import { buttonClass } from '../../ui/button'
import { Card, CardHeader } from '../../ui/card'

export function SubscriptionSummary({ subscription }: { subscription: Subscription | null }) {
  return (
    <Card>
      <CardHeader
        title="Assinatura"
        actions={
          <Link to={paths.plans} className={buttonClass({ variant: 'secondary', size: 'small' })}>
            {subscription ? 'Mudar Plano' : 'Ver Planos'}
          </Link>
        }
      />
      {subscription ? (
        <CurrentSubscription subscription={subscription} />
      ) : (
        <p className="text-muted">Você ainda não tem uma assinatura</p>
      )}
    </Card>
  )
}

function CurrentSubscription({ subscription }: { subscription: Subscription }) {
  const { status, plan, price, billingCycle } = subscription
  const deadline = deadlineOf(subscription)
  const warning = expiryText(subscription)
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="text-h3 font-semibold">{plan.displayName}</span>
        <StatusBadge {...subscriptionStatuses[status]} />
      </div>
      <p className="text-muted tabular-nums">
        {[plan.isFree ? 'Grátis para sempre' : `${formatReais(price)} · ${billingCycleLabels[billingCycle]}`, deadline]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {warning && <p className="font-medium text-warning">{warning}</p>}
    </div>
  )
}

function deadlineOf({ status, nextBillingDate, canceledAt, endDate }: Subscription): string | null {
  if (status === 'active' && nextBillingDate) return `Próxima cobrança em ${formatDate(nextBillingDate)}`
  if (canceledAt && endDate && isAhead(endDate)) return `Acesso até ${formatDate(endDate)}`
  return null
}
