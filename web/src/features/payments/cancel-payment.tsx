// Cancelling an open payment: the call, and the question before it. Used by the result dialog and the list of payments.
import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { asApiError, type ApiError } from '../../api/errors'
import { cancelPayment, paymentKeys, type Payment } from '../../api/payments'
import { writeNewer } from '../../live/patch-cache'
import { AlertDialog } from '../../ui/alert-dialog'
import { isCancellable } from './payment-state'

export interface Cancelling {
  /** Cancels the payment if it is still open; `then` runs when nothing stands open any more. */
  run: (then: () => void) => void
  busy: boolean
  error: ApiError | null
}

export function useCancel(payment: Payment): Cancelling {
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const key = paymentKeys.one(payment.companyId, payment.id)
  const run = (then: () => void) => {
    if (!isCancellable(payment)) {
      then()
      return
    }
    setBusy(true)
    setError(null)
    cancelPayment(payment.id)
      .then((cancelled) => {
        writeNewer(queries, key, cancelled)
        then()
      })
      .catch((thrown: unknown) => {
        setError(asApiError(thrown))
        void queries.invalidateQueries({ queryKey: key })
      })
      .finally(() => setBusy(false))
  }
  return { run, busy, error }
}

interface QuestionProps {
  open: boolean
  cancelling: Cancelling
  onClose: () => void
  /** After it was cancelled; without it, the question only closes. */
  onDone?: () => void
}

export function CancelQuestion({ open, cancelling, onClose, onDone }: QuestionProps) {
  const done = () => {
    onClose()
    onDone?.()
  }
  return (
    <AlertDialog
      open={open}
      onClose={onClose}
      title="Cancelar pagamento"
      description="O pagamento em aberto deixa de valer. Você pode começar outro quando quiser."
      safeLabel="Manter pagamento"
      actLabel="Cancelar pagamento"
      busy={cancelling.busy && 'Cancelando...'}
      onAct={() => cancelling.run(done)}
      failure={cancelling.error}
    />
  )
}
