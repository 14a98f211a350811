// What the company holds now: status, plan, price, the next date that matters, and what can be done about it.
import { useState, type ReactNode } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { asApiError, type ApiError } from '../../api/errors'
import { renewSubscription, subscriptionKeys, withdrawPendingChange, type PlanChoice, type Subscription } from '../../api/subscriptions'
import { formatDate } from '../../lib/dates'
import { randomId } from '../../lib/ids'
import { billingCycleLabels, subscriptionStatusLabels, subscriptionStatusTones } from '../../lib/labels'
import { formatReais } from '../../lib/money'
import { openPayment } from '../../live/payment-desk'
import { writeNewer } from '../../live/patch-cache'
import { Alert } from '../../ui/alert'
import { StatusBadge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Card } from '../../ui/card'
import { CancelDialog } from './cancel-dialog'
import { expiryText, isAhead } from '../../live/subscription-state'

interface CardProps {
  companyId: string
  subscription: Subscription | null
  canManage: boolean
  onChangePlan: () => void
  /** Preview and payment of the held plan and cycle. */
  onPayAgain: (choice: PlanChoice) => void
}

export function SubscriptionCard({ subscription, ...rest }: CardProps) {
  if (subscription) return <Held subscription={subscription} {...rest} />
  return (
    <Card className="flex flex-wrap items-center justify-between gap-4">
      <div className="grid gap-1">
        <h2 className="text-h3">Assinatura</h2>
        <p className="text-muted">Você ainda não tem uma assinatura</p>
      </div>
      <Button variant="secondary" onClick={rest.onChangePlan}>
        Ver Planos
      </Button>
    </Card>
  )
}

function Held({ companyId, subscription, canManage, onChangePlan, onPayAgain }: CardProps & { subscription: Subscription }) {
  const { status, plan, planId, billingCycle, payment, pendingChange } = subscription
  const [cancels, setCancels] = useState(false)
  const command = useCommand(companyId)
  const choice = { planId, billingCycle }
  const canReactivate = status === 'canceled' && isAhead(subscription.endDate)
  const reactivate = () =>
    command.run(
      () => renewSubscription(companyId, randomId()),
      (error) => error.code === 'PAYMENT_REQUIRED' && onPayAgain(choice),
    )

  return (
    <Card className="grid gap-4">
      <div className="flex flex-wrap items-start justify-between gap-4">
        <div className="grid gap-1">
          <div className="flex flex-wrap items-center gap-2">
            <h2 className="text-h3">{plan.displayName}</h2>
            <StatusBadge tone={subscriptionStatusTones[status] ?? 'neutral'} pending={status === 'pending'}>
              {subscriptionStatusLabels[status] ?? status}
            </StatusBadge>
          </div>
          <p className="text-muted tabular-nums">{plan.isFree ? 'Grátis para sempre' : `${formatReais(subscription.price)} · ${billingCycleLabels[billingCycle]}`}</p>
        </div>
        {canManage && (
          <div className="flex flex-wrap gap-2">
            {payment && <Button onClick={() => openPayment(companyId, payment.id)}>Ver pagamento</Button>}
            {status === 'suspended' && !payment && <Button onClick={() => onPayAgain(choice)}>Regularizar pagamento</Button>}
            {canReactivate && (
              <Button onClick={reactivate} busy={command.busy && 'Reativando...'}>
                Reativar
              </Button>
            )}
            <Button variant="secondary" onClick={onChangePlan}>
              Mudar Plano
            </Button>
            {status === 'active' && (
              <Button variant="ghost" onClick={() => setCancels(true)}>
                Cancelar Assinatura
              </Button>
            )}
          </div>
        )}
      </div>
      <Facts subscription={subscription} />
      {pendingChange && (
        <Alert
          tone="info"
          actions={
            canManage && (
              <button type="button" disabled={command.busy} onClick={() => command.run(() => withdrawPendingChange(companyId))}>
                Desfazer
              </button>
            )
          }
        >
          Muda para {pendingChange.planName} em {formatDate(pendingChange.effectiveDate)}
        </Alert>
      )}
      {command.error && command.error.code !== 'PAYMENT_REQUIRED' && (
        <Alert tone="danger" role="alert" title="Erro ao renovar assinatura">
          {command.error.sentence}
        </Alert>
      )}
      <CancelDialog companyId={companyId} subscription={subscription} open={cancels} onClose={() => setCancels(false)} onReactivate={reactivate} />
    </Card>
  )
}

function Facts({ subscription }: { subscription: Subscription }) {
  const { status, nextBillingDate, endDate, canceledAt, cancelReason, creditBalance, payment } = subscription
  const expiry = expiryText(subscription)
  const facts: ReactNode[] = [
    status === 'pending' && 'Aguardando pagamento',
    status === 'active' && nextBillingDate && `Próxima cobrança em ${formatDate(nextBillingDate)}`,
    canceledAt && `Cancelada em ${formatDate(canceledAt)}${cancelReason ? ` · ${cancelReason}` : ''}`,
    canceledAt && isAhead(endDate) && endDate && `Acesso até ${formatDate(endDate)}`,
    creditBalance > 0 && `Crédito de ${formatReais(creditBalance)}`,
    status !== 'pending' && payment && 'Há um pagamento em aberto',
  ].filter(Boolean)
  return (
    <>
      {facts.length > 0 && (
        <ul className="tear flex flex-wrap gap-x-6 gap-y-1 pt-4 text-muted tabular-nums">
          {facts.map((fact) => (
            <li key={String(fact)}>{fact}</li>
          ))}
        </ul>
      )}
      {expiry && <Alert tone="warning">{expiry}</Alert>}
    </>
  )
}

/** A command on the subscription without money: its answer goes into the cache. */
function useCommand(companyId: string) {
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const run = (call: () => Promise<Subscription>, onError?: (error: ApiError) => void) => {
    setBusy(true)
    setError(null)
    call()
      .then((next) => writeNewer(queries, subscriptionKeys.current(companyId), next))
      .catch((thrown: unknown) => {
        const failed = asApiError(thrown)
        setError(failed)
        onError?.(failed)
      })
      .finally(() => setBusy(false))
  }
  return { run, busy, error }
}
