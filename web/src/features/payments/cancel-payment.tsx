// Cancelling an open payment: the call, and the question before it. Used by the result dialog and the list of payments.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError, asApiError } from '../../api/errors'
import { writeNewer } from '../../api/newest'
import { cancelPayment, paymentKeys, type Payment } from '../../api/payments'
import { subscriptionKeys } from '../../api/subscriptions'
import { isOpenPayment } from '../../lib/labels'
import { AlertDialog } from '../../ui/alert-dialog'
import { isCancellable } from './payment-state'

/** The server goes on closing it by itself. */
const STILL_OPEN = 'O provedor ainda não confirmou. O cancelamento continua sozinho; avisaremos aqui.'

interface Cancelling {
  /** Cancels the payment if it is still open; `then` runs when nothing stands open any more. */
  run: (then: () => void) => void
  busy: boolean
  error: ApiError | null
  /** Forgets the error: the next question begins without it. */
  reset: () => void
}

export function useCancel(payment: Payment): Cancelling {
  const queries = useQueryClient()
  const { id, companyId } = payment
  const cancel = useMutation({
    mutationFn: async (_then: () => void) => {
      const answer = await cancelPayment(id)
      writeNewer(queries, paymentKeys.one(companyId, id), answer)
      if (isOpenPayment(answer)) throw new ApiError('PROVIDER_UNAVAILABLE', { sentence: STILL_OPEN })
    },
    onSuccess: (_, then) => then(),
    onSettled: () => {
      // The lists and the subscription show it too; the live event is late, or waits while updates are paused.
      void queries.invalidateQueries({ queryKey: paymentKeys.ofCompany(companyId) })
      void queries.invalidateQueries({ queryKey: subscriptionKeys.current(companyId) })
    },
  })
  return {
    run: (then) => (isCancellable(payment) ? cancel.mutate(then) : then()),
    busy: cancel.isPending,
    error: cancel.error && asApiError(cancel.error),
    reset: cancel.reset,
  }
}

interface CancelQuestionProps {
  cancelling: Cancelling
  onClose: () => void
}

export function CancelQuestion({ cancelling, onClose }: CancelQuestionProps) {
  return (
    <AlertDialog
      onClose={onClose}
      title="Cancelar pagamento"
      description="O pagamento em aberto deixa de valer. Você pode começar outro quando quiser."
      safeLabel="Manter pagamento"
      actLabel="Cancelar pagamento"
      busy={cancelling.busy && 'Cancelando...'}
      onAct={() => cancelling.run(onClose)}
      failure={cancelling.error}
    />
  )
}
