// 'Cancelar Assinatura': what is kept until when, an optional reason, the safe button first.
import { useState } from 'react'
import { cancelSubscription, type Subscription } from '../../api/subscriptions'
import { formatDate } from '../../lib/dates'
import { randomId } from '../../lib/ids'
import { plainText } from '../../lib/plain-text'
import { isAhead } from '../../live/subscription-state'
import { AlertDialog } from '../../ui/alert-dialog'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { TextArea } from '../../ui/input'
import { notifySuccess } from '../../ui/toast'
import { endConsequences } from './end-consequences'
import { useCommand } from './use-command'

const REASON_MAX = 500
const REASONS = ['Preço', 'Falta de recursos', 'Mudei de serviço', 'Não uso', 'Suporte', 'Outro']

interface CancelDialogProps {
  subscription: Subscription
  onClose: () => void
  onReactivate: () => void
}

export function CancelDialog({ subscription, onClose, onReactivate }: CancelDialogProps) {
  const { companyId } = subscription
  const [reason, setReason] = useState('')
  const { run, busy, failure } = useCommand(companyId)
  const body = { reason: plainText(reason) || null }
  const cancel = () =>
    run('Erro ao cancelar assinatura', () => cancelSubscription(companyId, body, randomId()), {
      onDone: ({ status }) => {
        const action = status === 'canceled' ? { label: 'Reativar', onClick: onReactivate } : undefined
        notifySuccess('Assinatura cancelada', { id: `subscription ${companyId}`, action })
        onClose()
      },
    })

  return (
    <AlertDialog
      onClose={onClose}
      title="Cancelar Assinatura"
      description={consequenceOf(subscription) + endConsequences(subscription)}
      safeLabel="Manter Assinatura"
      actLabel="Cancelar Assinatura"
      busy={busy && 'Cancelando...'}
      onAct={cancel}
      failureTitle={failure?.title}
      failure={failure?.error}
    >
      <fieldset aria-label="Sugestões" className="flex flex-wrap gap-2">
        {REASONS.map((text) => (
          <Button
            key={text}
            variant="secondary"
            size="small"
            className="aria-pressed:border-primary aria-pressed:bg-soft aria-pressed:text-on-soft"
            onClick={() => setReason(withReason(text, reason))}
            disabled={withReason(text, reason).length > REASON_MAX}
            aria-pressed={text === chosenIn(reason)}
          >
            {text}
          </Button>
        ))}
      </fieldset>
      <Field label="Motivo" optional>
        <TextArea value={reason} onChange={(event) => setReason(event.target.value)} maxLength={REASON_MAX} />
      </Field>
    </AlertDialog>
  )
}

/** What is paid for stays until its end; a free or unpaid plan ends at once. */
function consequenceOf({ nextBillingDate, plan }: Subscription): string {
  if (nextBillingDate && isAhead(nextBillingDate))
    return `Você mantém o acesso até ${formatDate(nextBillingDate)}. Não haverá novas cobranças.`
  return `O acesso ao plano ${plan.displayName} termina agora. Não haverá novas cobranças.`
}

function chosenIn(reason: string): string | undefined {
  return REASONS.find((known) => reason === known || reason.startsWith(`${known}: `))
}

/** The chosen reason in the place of one chosen before, and in front of what was typed. */
function withReason(chosen: string, reason: string): string {
  const before = chosenIn(reason)
  const typed = before === undefined ? reason.trim() : reason.slice(`${before}: `.length)
  return typed ? `${chosen}: ${typed}` : chosen
}
