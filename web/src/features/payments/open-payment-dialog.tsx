// A payment is open, and something else was asked for: says which one it is before anything is chosen or charged, and
// asks what becomes of it. Nothing opens or closes another payment without this question.
import { useCallback, useEffect, useRef } from 'react'
import { useQuery } from '@tanstack/react-query'
import { isIssuedBoleto, methodLabel } from '../../api/payment-methods'
import { paymentQuery, type Payment } from '../../api/payments'
import { isOpenPayment } from '../../lib/labels'
import { formatMinor } from '../../lib/money'
import { closePaymentDialog, showPayment, type OpenPaymentConflict } from '../../live/payment-dialog'
import { isOverdue, untilOf } from '../../live/subscription-state'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { useCancel } from './cancel-payment'
import { descriptionOf, replacedBoleto } from './labels'
import { isCancellable, usePlans } from './payment-state'
import { UnreadPayment } from './unread-payment'
import { useCloseWithPage } from './use-close-with-page'

const TITLE = 'Já existe um pagamento em aberto'
const WAITS = 'Como esta mudança não tem custo, ela só pode ser feita depois que o boleto for pago ou deixar de valer.'

export default function OpenPaymentDialog({ conflict }: { conflict: OpenPaymentConflict }) {
  const query = useQuery({ ...paymentQuery(conflict.companyId, conflict.paymentId), staleTime: 0 })
  useCloseWithPage(query.data !== undefined)
  if (query.data) return <Question payment={query.data} conflict={conflict} />
  return (
    <Dialog focusTitle onClose={closePaymentDialog} title={TITLE}>
      <UnreadPayment query={query} lines={3} />
    </Dialog>
  )
}

function Question({ payment, conflict }: { payment: Payment; conflict: OpenPaymentConflict }) {
  const { companyId, paymentId, costsNothing = false, proceed } = conflict
  const plans = usePlans(companyId)
  const cancel = useCancel(payment)
  const wait = useRetrySeconds(cancel.error)
  useCloseWithPage(cancel.busy)
  const gone = useRef(false)
  // The answer of the cancellation and its live event both end the question.
  const goOn = useCallback(
    (replace: boolean) => {
      if (gone.current) return
      gone.current = true
      closePaymentDialog()
      proceed(replace)
    },
    [proceed],
  )
  useSettledElsewhere(payment, goOn)
  const price = `${formatMinor(payment.amount, payment.currency)} por ${methodLabel(payment.paymentMethod)}`
  return (
    <Dialog
      focusTitle
      onClose={closePaymentDialog}
      busy={cancel.busy}
      title={TITLE}
      footer={
        <>
          {isIssuedBoleto(payment) && !costsNothing && (
            <Button variant="secondary" onClick={() => goOn(true)}>
              Continuar sem o boleto
            </Button>
          )}
          {isCancellable(payment) && (
            <Button
              variant="secondary"
              onClick={() => cancel.run(() => goOn(false))}
              disabled={wait > 0}
              busy={cancel.busy && 'Cancelando...'}
            >
              Cancelar e continuar
            </Button>
          )}
          <Button onClick={() => showPayment(companyId, paymentId)} disabled={cancel.busy}>
            {payment.status === 'PENDING' && !isOverdue(payment) ? 'Pagar aquele' : 'Acompanhar aquele'}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <div className="grid gap-1 rounded-control bg-sunken px-4 py-3">
          <p className="font-semibold wrap-anywhere">{descriptionOf(payment, plans)}</p>
          <p className="tabular-nums">
            {price}
            {untilOf(payment)}
          </p>
        </div>
        <p className="text-pretty text-muted">{consequenceOf(payment, costsNothing)}</p>
        <FailureAlert failure={cancel.error} />
      </div>
    </Dialog>
  )
}

/** The open payment may end while this dialog is shown. If it was paid, show it; otherwise do what was asked. */
function useSettledElsewhere(payment: Payment, goOn: (replace: boolean) => void): void {
  const { status, companyId, id } = payment
  useEffect(() => {
    if (isOpenPayment({ status })) return
    if (status === 'SUCCESS') showPayment(companyId, id)
    else goOn(false)
  }, [status, companyId, id, goOn])
}

function consequenceOf(payment: Payment, costsNothing: boolean): string {
  if (isIssuedBoleto(payment))
    return `Um boleto emitido não pode ser cancelado. ${costsNothing ? WAITS : replacedBoleto(payment)}`
  if (isCancellable(payment))
    return 'Uma empresa tem um pagamento em aberto por vez. Pague aquele ou cancele-o e continue.'
  return 'O pagamento está em análise. Avisaremos quando houver uma resposta.'
}
