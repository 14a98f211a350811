// 'Cancelar Assinatura': what is kept until when, an optional reason, the safe button first.
import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { asApiError, type ApiError } from '../../api/errors'
import { cancelSubscription, subscriptionKeys, type Subscription } from '../../api/subscriptions'
import { formatDate } from '../../lib/dates'
import { randomId } from '../../lib/ids'
import { writeNewer } from '../../live/patch-cache'
import { isAhead } from '../../live/subscription-state'
import { AlertDialog } from '../../ui/alert-dialog'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { TextArea } from '../../ui/input'
import { notifySuccess } from '../../ui/toast'
import { titleOf } from './use-command'

const REASONS = ['Preço', 'Falta de recursos', 'Mudei de serviço', 'Não uso', 'Suporte', 'Outro']

interface CancelProps {
  companyId: string
  subscription: Subscription
  open: boolean
  onClose: () => void
  onReactivate: () => void
}

export function CancelDialog({ companyId, subscription, open, onClose, onReactivate }: CancelProps) {
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const close = () => {
    setReason('')
    setError(null)
    onClose()
  }

  const cancel = async () => {
    setBusy(true)
    setError(null)
    try {
      const next = await cancelSubscription(companyId, { reason: reason.trim() || null }, randomId())
      writeNewer(queries, subscriptionKeys.current(companyId), next)
      const reactivation = next.status === 'canceled' ? { action: { label: 'Reativar', onClick: onReactivate } } : {}
      notifySuccess('Assinatura cancelada', { id: `subscription ${companyId}`, ...reactivation })
      close()
    } catch (thrown) {
      setError(asApiError(thrown))
    } finally {
      setBusy(false)
      void queries.invalidateQueries({ queryKey: subscriptionKeys.current(companyId) })
    }
  }

  return (
    <AlertDialog
      open={open}
      onClose={close}
      title="Cancelar Assinatura"
      description={consequenceOf(subscription)}
      safeLabel="Manter Assinatura"
      actLabel="Cancelar Assinatura"
      busy={busy && 'Cancelando...'}
      onAct={() => void cancel()}
      failureTitle={error ? titleOf(error, 'Erro ao cancelar assinatura') : ''}
      failure={error}
    >
      <div className="flex flex-wrap gap-2">
        {REASONS.map((text) => (
          <Button
            key={text}
            variant="secondary"
            size="small"
            className="aria-pressed:border-primary aria-pressed:bg-soft aria-pressed:text-on-soft"
            onClick={() => setReason(text)}
            aria-pressed={reason === text}
          >
            {text}
          </Button>
        ))}
      </div>
      <Field label="Motivo" optional>
        <TextArea value={reason} onChange={(event) => setReason(event.target.value)} maxLength={500} />
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
