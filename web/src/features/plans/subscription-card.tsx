// The company's subscription: status, plan, price, the next date that matters, and what can be done about it.
import { useRef, useState, type ReactNode } from 'react'
import { renewSubscription, type Subscription } from '../../api/subscriptions'
import { formatDate } from '../../lib/dates'
import { randomId } from '../../lib/ids'
import { formatReais } from '../../lib/money'
import { usePayNow } from '../../live/use-pay-now'
import {
  expiryText,
  isAhead,
  priceText,
  statusOf,
  subscriptionState,
  type StateKind,
} from '../../live/subscription-state'
import { Alert } from '../../ui/alert'
import { StatusBadge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Card } from '../../ui/card'
import { useRetrySeconds } from '../../ui/failure-alert'
import { focusHeadingAround } from '../../ui/focus-heading'
import { notifyError, notifySuccess } from '../../ui/toast'
import { CancelDialog } from './cancel-dialog'
import { ChangeAlert } from './change-alert'
import { EndNowDialog } from './end-now-dialog'
import { undoChange } from './undo-change'
import { useCommand } from './use-command'

export interface CardProps {
  subscription: Subscription
  canManage: boolean
  onChangePlan: () => void
}

export function SubscriptionCard({ subscription, canManage, onChangePlan }: CardProps) {
  const { companyId, plan } = subscription
  const [question, setQuestion] = useState<'cancel' | 'endNow' | null>(null)
  const mayAnswer = canManage && (question === 'cancel' ? isCancellable(subscription) : isEndable(subscription))
  // Cancelled or ended meanwhile, here or by a colleague, or not the person's to decide any more: the question would go
  // on in words that are not true.
  if (question && !mayAnswer) setQuestion(null)
  const command = useCommand(companyId)
  const isHeld = useRetrySeconds(command.failure?.error) > 0
  const { pay, busy: paying } = usePayNow(subscription)
  const card = useRef<HTMLElement>(null)
  /** The button that was pressed is gone with what it did. */
  const keepFocus = () => {
    const { activeElement } = document
    if (activeElement === document.body || card.current?.contains(activeElement)) focusHeadingAround(card.current)
  }
  const reactivate = () =>
    command.run('Erro ao renovar assinatura', () => renewSubscription(companyId, randomId()), {
      onDone: () => {
        // In the place of the one that told the cancellation, and offered this.
        notifySuccess('Assinatura reativada', { id: `subscription ${companyId}` })
        keepFocus()
      },
      onUnpaid: pay,
      // The farewell, and its "Reativar", goes along to other pages.
      onFailedAway: ({ title, error }) =>
        notifyError(title, { id: `subscription ${companyId}`, detail: error.sentence }),
    })
  return (
    <Card ref={card} className="grid gap-4">
      <div className="flex flex-wrap items-center justify-between gap-4">
        <div className="grid gap-1">
          <div className="flex flex-wrap items-center gap-2">
            <h2 tabIndex={-1} className="text-h3 wrap-anywhere">
              {plan.displayName}
            </h2>
            <StatusBadge {...statusOf(subscription)} />
          </div>
          <p className="text-muted tabular-nums">{priceText(subscription)}</p>
        </div>
        {canManage && (
          <Actions
            subscription={subscription}
            busy={command.busy}
            held={isHeld}
            paying={paying}
            onPay={pay}
            onReactivate={reactivate}
            onChangePlan={onChangePlan}
            onCancel={() => setQuestion('cancel')}
            onEndNow={() => setQuestion('endNow')}
          />
        )}
      </div>
      <StateNotice
        subscription={subscription}
        canManage={canManage}
        undo={() => undoChange(command, companyId, keepFocus)}
        undoing={command.busy || isHeld}
      />
      <Facts subscription={subscription} />
      <ChangeAlert failure={command.failure} onClose={command.dismiss} />
      {question === 'cancel' && (
        <CancelDialog subscription={subscription} onClose={() => setQuestion(null)} onReactivate={reactivate} />
      )}
      {question === 'endNow' && <EndNowDialog subscription={subscription} onClose={() => setQuestion(null)} />}
    </Card>
  )
}

interface ActionsProps {
  subscription: Subscription
  busy: boolean
  /** A call that came too often is held back for its time. */
  held: boolean
  paying: boolean
  onPay: () => void
  onReactivate: () => void
  onChangePlan: () => void
  onCancel: () => void
  onEndNow: () => void
}

const payLabels: Partial<Record<StateKind, string>> = {
  due: 'Regularizar pagamento',
  suspended: 'Regularizar pagamento',
  expired: 'Assinar novamente',
}

function isCancellable({ status }: Subscription): boolean {
  return status === 'active'
}

function isLeaving({ status, endDate }: Subscription): boolean {
  return status === 'canceled' && isAhead(endDate)
}

function isEndable(subscription: Subscription): boolean {
  return isLeaving(subscription) || subscription.status === 'suspended'
}

/** One primary button: the payment that waits, else the one that keeps the plan. */
function Actions(props: ActionsProps) {
  const { subscription, busy, held, paying, onPay, onReactivate, onChangePlan, onCancel, onEndNow } = props
  const { payment, state } = subscription
  const calm = state?.kind === 'runs' || state?.kind === 'renews'
  return (
    <div className="flex flex-wrap gap-2 max-sm:w-full max-sm:flex-col">
      {payment && <Button onClick={onPay}>Ver pagamento</Button>}
      {state?.action === 'pay' && !payment && (
        <Button variant={calm ? 'secondary' : 'primary'} onClick={onPay} busy={paying && 'Calculando...'}>
          {payLabels[state.kind] ?? 'Renovar'}
        </Button>
      )}
      {isLeaving(subscription) && (
        <Button
          variant={payment ? 'secondary' : 'primary'}
          onClick={onReactivate}
          disabled={held}
          busy={(busy && 'Reativando...') || (paying && 'Calculando...')}
        >
          Reativar
        </Button>
      )}
      <Button variant="secondary" onClick={onChangePlan}>
        Mudar Plano
      </Button>
      {isCancellable(subscription) && (
        <Button variant="ghost" onClick={onCancel}>
          Cancelar Assinatura
        </Button>
      )}
      {isEndable(subscription) && (
        <Button variant="ghost" onClick={onEndNow}>
          Encerrar agora
        </Button>
      )}
    </div>
  )
}

function Facts({ subscription }: { subscription: Subscription }) {
  const { endDate, canceledAt, cancelReason, creditBalance } = subscription
  const facts: ReactNode[] = [
    canceledAt && `Cancelada em ${formatDate(canceledAt)}`,
    canceledAt && cancelReason && `Motivo: ${cancelReason}`,
    canceledAt && isAhead(endDate) && endDate && `Acesso até ${formatDate(endDate)}`,
    creditBalance > 0 && `Crédito de ${formatReais(creditBalance)}`,
  ].filter(Boolean)
  if (facts.length === 0) return null
  return (
    <ul role="list" className="tear flex flex-wrap gap-x-6 gap-y-1 pt-4 text-muted tabular-nums">
      {facts.map((fact) => (
        <li key={String(fact)} className="min-w-0 wrap-anywhere">
          {fact}
        </li>
      ))}
    </ul>
  )
}

interface StateNoticeProps {
  subscription: Subscription
  canManage: boolean
  undo: () => void
  undoing: boolean
}

/** The one sentence: plain text while all is well, below the warning of the last days and of the end otherwise. */
function StateNotice({ subscription, canManage, undo, undoing }: StateNoticeProps) {
  const { payment, pendingChange } = subscription
  const state = subscriptionState(subscription)
  const warning = expiryText(subscription)
  if (!state) return warning && <Alert tone="warning" title={warning} />
  const isPlain = state.tone === 'neutral' && !warning
  // The price above it says so already.
  if (subscription.state?.kind === 'free' && isPlain) return null
  if (isPlain) return <p className="tabular-nums">{state.line}</p>
  return (
    <Alert
      tone={state.tone === 'neutral' ? 'warning' : state.tone}
      // The banner at the foot of the page tells what is urgent, in the same words.
      role={state.isUrgent ? 'none' : 'status'}
      title={warning}
      actions={
        pendingChange &&
        !payment &&
        canManage && (
          <button type="button" aria-disabled={undoing || undefined} onClick={undoing ? undefined : undo}>
            Desfazer
          </button>
        )
      }
    >
      <p>{state.line}</p>
      {state.detail && <p>{state.detail}</p>}
    </Alert>
  )
}
