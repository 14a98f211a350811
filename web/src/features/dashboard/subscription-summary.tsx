// What the company has subscribed to, in a line, with the next date that matters.
import { Link } from 'react-router'
import type { Subscription } from '../../api/subscriptions'
import { paths } from '../../lib/paths'
import type { Tone } from '../../lib/labels'
import { usePayNow } from '../../live/use-pay-now'
import { priceText, statusOf, subscriptionState } from '../../live/subscription-state'
import { StatusBadge } from '../../ui/badge'
import { Button, buttonClass } from '../../ui/button'
import { Card, CardHeader } from '../../ui/card'
import { cx } from '../../ui/cx'

interface SubscriptionSummaryProps {
  subscription: Subscription | null
  canManage: boolean
}

export function SubscriptionSummary({ subscription, canManage }: SubscriptionSummaryProps) {
  return (
    <Card>
      <CardHeader
        title="Assinatura"
        actions={
          <Link to={paths.plans} className={buttonClass({ variant: 'secondary', size: 'small' })}>
            {subscription && canManage ? 'Mudar Plano' : 'Ver Planos'}
          </Link>
        }
      />
      {subscription ? (
        <CurrentSubscription subscription={subscription} canManage={canManage} />
      ) : (
        <p className="text-muted">Você ainda não tem uma assinatura</p>
      )}
    </Card>
  )
}

const stateColors: Record<Tone, string> = {
  success: 'text-success',
  warning: 'font-medium text-warning',
  danger: 'font-medium text-danger',
  info: 'text-info',
  neutral: '',
}

function CurrentSubscription({ subscription, canManage }: { subscription: Subscription; canManage: boolean }) {
  const { plan, payment } = subscription
  const { pay, busy } = usePayNow(subscription)
  const state = subscriptionState(subscription)
  const isPayable = canManage && state?.isUrgent && state.action === 'pay' && !payment
  return (
    <div className="flex flex-wrap items-end justify-between gap-4">
      <div className="grid gap-2">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="min-w-0 text-h3 font-semibold wrap-anywhere">{plan.displayName}</span>
          <StatusBadge {...statusOf(subscription)} />
        </div>
        <p className="text-muted tabular-nums">{priceText(subscription)}</p>
        {/* The price above says that it is free, a card of its own what waits for a payment. */}
        {state && subscription.state?.kind !== 'free' && !payment && (
          <p className={cx('tabular-nums', stateColors[state.tone])}>{state.line}</p>
        )}
      </div>
      {isPayable && (
        <Button className="max-sm:w-full" onClick={pay} busy={busy && 'Calculando...'}>
          {state.amount ? `Pagar agora ${state.amount}` : 'Pagar agora'}
        </Button>
      )}
    </div>
  )
}
