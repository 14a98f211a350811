// The company's subscription: status, plan, price, the next date that matters, and what can be done about it.
import { useState, type ReactNode } from 'react'
import { renewSubscription, withdrawPendingChange, type PlanChoice, type Subscription } from '../../api/subscriptions'
import { formatDate } from '../../lib/dates'
import { randomId } from '../../lib/ids'
import { billingCycleLabels, subscriptionStatuses } from '../../lib/labels'
import { formatReais } from '../../lib/money'
import { openPayment } from '../../live/payment-dialog'
import { expiryText, isAhead, isDue, renewalOf } from '../../live/subscription-state'
import { Alert } from '../../ui/alert'
import { StatusBadge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Card } from '../../ui/card'
import { CancelDialog } from './cancel-dialog'
import { ChangeAlert } from './change-alert'
import { EndNowDialog } from './end-now-dialog'
import { useCommand, type Command } from './use-command'

export interface CardProps {
  subscription: Subscription
  canManage: boolean
  onChangePlan: () => void
  /** Preview and payment of the current plan and cycle. */
  onPayAgain: (choice: PlanChoice) => void
  /** The plan whose preview is under way. */
  choosing?: string | null
}

export function SubscriptionCard({ subscription, canManage, onChangePlan, onPayAgain, choosing }: CardProps) {
  const { companyId, status, plan, planId, billingCycle, price } = subscription
  const [cancels, setCancels] = useState(false)
  const [ends, setEnds] = useState(false)
  const command = useCommand(companyId)
  const pay = () => onPayAgain({ planId, billingCycle })
  const reactivate = () =>
    command.run('Erro ao renovar assinatura', () => renewSubscription(companyId, randomId()), { onUnpaid: pay })
  return (
    <Card className="grid gap-4">
      <div className="flex flex-wrap items-center justify-between gap-4">
        <div className="grid gap-1">
          <div className="flex flex-wrap items-center gap-2">
            <h2 className="text-h3">{plan.displayName}</h2>
            <StatusBadge {...(subscriptionStatuses[status] ?? { label: status, tone: 'neutral' as const })} />
          </div>
          <p className="text-muted tabular-nums">
            {plan.isFree ? 'Grátis para sempre' : `${formatReais(price)} · ${billingCycleLabels[billingCycle]}`}
          </p>
        </div>
        {canManage && (
          <Actions
            subscription={subscription}
            busy={command.busy}
            paying={choosing === planId}
            onPay={pay}
            onReactivate={reactivate}
            onChangePlan={onChangePlan}
            onCancel={() => setCancels(true)}
            onEndNow={() => setEnds(true)}
          />
        )}
      </div>
      <Facts subscription={subscription} />
      <Warning subscription={subscription} />
      <PendingChange subscription={subscription} canManage={canManage} command={command} />
      <ChangeAlert failure={command.failure} onClose={command.dismiss} />
      {cancels && (
        <CancelDialog subscription={subscription} onClose={() => setCancels(false)} onReactivate={reactivate} />
      )}
      {ends && <EndNowDialog subscription={subscription} onClose={() => setEnds(false)} />}
    </Card>
  )
}

interface ActionsProps {
  subscription: Subscription
  busy: boolean
  paying: boolean
  onPay: () => void
  onReactivate: () => void
  onChangePlan: () => void
  onCancel: () => void
  onEndNow: () => void
}

const payLabels = { settle: 'Regularizar pagamento', next: 'Renovar', again: 'Assinar novamente' } as const

/** One primary button: the payment that waits, else the one that keeps the plan. */
function Actions({ subscription, busy, paying, onPay, onReactivate, onChangePlan, onCancel, onEndNow }: ActionsProps) {
  const { status, payment, endDate, companyId } = subscription
  const renewal = renewalOf(subscription)
  return (
    <div className="flex flex-wrap gap-2 max-sm:w-full max-sm:flex-col">
      {payment && <Button onClick={() => openPayment(companyId, payment.id)}>Ver pagamento</Button>}
      {renewal && !payment && (
        <Button variant={renewal === 'next' ? 'secondary' : 'primary'} onClick={onPay} busy={paying && 'Calculando...'}>
          {payLabels[renewal]}
        </Button>
      )}
      {status === 'canceled' && isAhead(endDate) && (
        <Button
          variant={payment ? 'secondary' : 'primary'}
          onClick={onReactivate}
          busy={(busy && 'Reativando...') || (paying && 'Calculando...')}
        >
          Reativar
        </Button>
      )}
      <Button variant="secondary" onClick={onChangePlan}>
        Mudar Plano
      </Button>
      {status === 'active' && (
        <Button variant="ghost" onClick={onCancel}>
          Cancelar Assinatura
        </Button>
      )}
      {status === 'canceled' && isAhead(endDate) && (
        <Button variant="ghost" onClick={onEndNow}>
          Encerrar agora
        </Button>
      )}
    </div>
  )
}

function Facts({ subscription }: { subscription: Subscription }) {
  const { status, nextBillingDate, endDate, canceledAt, cancelReason, creditBalance, payment } = subscription
  const facts: ReactNode[] = [
    status === 'pending' && 'Aguardando pagamento',
    status === 'active' && nextBillingDate && `Próxima cobrança em ${formatDate(nextBillingDate)}`,
    canceledAt && `Cancelada em ${formatDate(canceledAt)}`,
    canceledAt && cancelReason && `Motivo: ${cancelReason}`,
    canceledAt && isAhead(endDate) && endDate && `Acesso até ${formatDate(endDate)}`,
    status === 'expired' && endDate && `Encerrada em ${formatDate(endDate)}`,
    creditBalance > 0 && `Crédito de ${formatReais(creditBalance)}`,
    status !== 'pending' && payment && 'Há um pagamento em aberto',
  ].filter(Boolean)
  if (facts.length === 0) return null
  return (
    <ul className="tear flex flex-wrap gap-x-6 gap-y-1 pt-4 text-muted tabular-nums">
      {facts.map((fact) => (
        <li key={String(fact)} className="min-w-0 wrap-anywhere">
          {fact}
        </li>
      ))}
    </ul>
  )
}

/** What ends when, and what that means. A cancellation that was wanted warns of nothing. */
function Warning({ subscription }: { subscription: Subscription }) {
  const text = expiryText(subscription)
  if (!text) return null
  const consequence = consequenceOf(subscription)
  return (
    <Alert tone="warning" title={text}>
      {consequence}
    </Alert>
  )
}

function consequenceOf(subscription: Subscription): string | null {
  if (isDue(subscription)) return 'A renovação está em aberto. Pague para manter o plano.'
  if (subscription.status === 'suspended')
    return 'Sem a renovação, valem os limites do plano gratuito. Pague para ter o plano de volta.'
  if (subscription.status === 'active') return 'Renove para manter o plano.'
  return null
}

interface PendingProps {
  subscription: Subscription
  canManage: boolean
  command: Command
}

function PendingChange({ subscription: { companyId, pendingChange }, canManage, command }: PendingProps) {
  if (!pendingChange) return null
  const withdraw = () => command.run('Erro ao desfazer a mudança de plano', () => withdrawPendingChange(companyId))
  return (
    <Alert
      tone="info"
      actions={
        canManage && (
          <button type="button" disabled={command.busy} onClick={withdraw}>
            Desfazer
          </button>
        )
      }
    >
      Muda para {pendingChange.planName} em {formatDate(pendingChange.effectiveDate)}
    </Alert>
  )
}
