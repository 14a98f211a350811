// The state of one payment, shown like a receipt. Live events update its query; without a live connection it polls.
// Closing it cancels nothing. Printed, it is alone on its paper (`print-sheet` in main.css).
import { useEffect, useRef, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { FIRST_METHOD, methodKind, methodLabel, OTHER_METHOD, type PaymentMethod } from '../../api/payment-methods'
import { paymentQuery, providersQuery, type Payment } from '../../api/payments'
import { isOpenPayment } from '../../lib/labels'
import { paths } from '../../lib/paths'
import {
  closePaymentDialog,
  openCheckout,
  type CardRefusal,
  type Order,
  type PaymentView,
} from '../../live/payment-dialog'
import { serverNow } from '../../live/server-clock'
import { useIsLive } from '../../live/status'
import { Alert } from '../../ui/alert'
import { announce } from '../../ui/announcer'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { FailureAlert } from '../../ui/failure-alert'
import { FailureDetails } from '../../ui/failure-details'
import { Sheet, type SheetProps } from '../../ui/sheet'
import { Authentication, awaitsBank, ProcessingNote } from './authentication'
import { BoletoCard } from './boleto-card'
import { CancelQuestion, useCancel } from './cancel-payment'
import { titleOf } from './labels'
import { isCancellable, isExpiredPix, shownStatus, useReplaceable, useRetryOrder } from './payment-state'
import { PixCard } from './pix-card'
import { ResultDetails, ResultMark } from './result-details'
import { Simulate } from './simulate'
import { UnreadPayment } from './unread-payment'
import { useCloseWithPage } from './use-close-with-page'
import { useExecuteChange } from './use-execute-change'
import { useQuoted } from './use-quoted'
import { reasonOf, reasonOfProvider } from '../../api/payment-reasons'

const POLL_MS = { first: 5_000, later: 30_000, firstFor: 2 * 60_000 }

interface ResultProps extends PaymentView {
  /** Whether the person may change anything of it now. */
  canManage: boolean
  /** Beside a list it is a sheet, with an address of its own. */
  sheet?: boolean
  onClose?: () => void
}

export default function ResultDialog({
  companyId,
  paymentId,
  canManage,
  order,
  refusal,
  sheet = false,
  onClose = closePaymentDialog,
}: ResultProps) {
  const live = useIsLive()
  const [openedAt] = useState(Date.now)
  const query = useQuery({
    ...paymentQuery(companyId, paymentId),
    refetchInterval: ({ state }) => {
      if (live || isFinal(state.data)) return false
      return Date.now() - openedAt < POLL_MS.firstFor ? POLL_MS.first : POLL_MS.later
    },
  })
  useCloseWithPage(sheet || query.data !== undefined)
  if (query.data) return <Result payment={query.data} {...{ canManage, order, refusal, sheet, onClose }} />
  const Frame = sheet ? Sheet : PaymentDialog
  return (
    <Frame focusTitle onClose={onClose} title="Pagamento">
      <UnreadPayment query={query} lines={6} />
    </Frame>
  )
}

function isFinal(payment: Payment | undefined): boolean {
  return payment?.status === 'SUCCESS' || payment?.status === 'CANCELLED'
}

type ShownProps = Required<Pick<ResultProps, 'sheet' | 'onClose'>> &
  Pick<ResultProps, 'canManage' | 'order' | 'refusal'> & { payment: Payment }

function Result({ payment, canManage, order, refusal: refusedBefore, sheet, onClose }: ShownProps) {
  const [refusal, setRefusal] = useState(refusedBefore)
  const status = shownStatus(payment, refusal)
  const providers = useQuery(providersQuery())
  const provider = providers.data?.find(({ name }) => name === payment.provider) ?? providers.data?.[0]
  const [isAskingToCancel, setIsAskingToCancel] = useState(false)
  // The question ends with the right to cancel, and does not come back with it.
  if (isAskingToCancel && !canManage) setIsAskingToCancel(false)
  const cancel = useCancel(payment)
  useCloseWithPage(sheet || cancel.busy)
  const askToCancel = () => {
    cancel.reset()
    setIsAskingToCancel(true)
  }
  const knownOrder = useRetryOrder(payment, order)
  const retryOrder = canManage ? knownOrder : null
  const quoted = useQuoted()
  const body = useFocusOnChange(status)
  useExecuteChange(payment)

  const waiting = isOpenPayment({ status })
  const failed = status === 'FAILED'
  // The money has come, and waits for the decision of a platform admin.
  const isUnderReview = payment.failureCode === 'under_review'
  const kind = isUnderReview ? undefined : methodKind(payment.paymentMethod)
  const pay = (next: Order, method: PaymentMethod) =>
    void quoted.ask(next, (found) => {
      onClose()
      openCheckout(found, { method, replace: true })
    })
  const retry = (method: PaymentMethod) => retryOrder && pay(retryOrder, method)
  const canRetry = failed && retryOrder !== null && (payment.canRetry || refusal !== undefined)
  // Once it has failed, "Tentar Novamente" is the one way on.
  const renewPix = retryOrder && waiting ? () => cancel.run(() => pay(retryOrder, payment.paymentMethod)) : undefined
  const replaceable = useReplaceable({ ...payment, status })
  const otherMethod = payment.paymentMethod === OTHER_METHOD ? FIRST_METHOD : OTHER_METHOD
  const expiredPix = isExpiredPix(payment, serverNow())

  const Frame = sheet ? Sheet : PaymentDialog

  return (
    <Frame
      focusTitle
      onClose={onClose}
      title={titleOf(status)}
      footer={
        <>
          {waiting && canManage && isCancellable(payment) && (
            <Button variant="ghost" onClick={askToCancel} className="sm:mr-auto sm:-ml-4">
              Cancelar pagamento
            </Button>
          )}
          {replaceable === 'yes' && retryOrder && (
            <Button
              variant="ghost"
              onClick={() => retry(otherMethod)}
              disabled={quoted.busy}
              className="sm:first:mr-auto sm:first:-ml-4"
            >
              Pagar com {methodLabel(otherMethod)}
            </Button>
          )}
          <Button variant={status === 'SUCCESS' ? 'primary' : 'secondary'} onClick={onClose}>
            {status === 'SUCCESS' ? 'Continuar' : 'Fechar'}
          </Button>
          {canRetry && payment.paymentMethod !== OTHER_METHOD && (
            <Button variant="secondary" onClick={() => retry(OTHER_METHOD)} disabled={quoted.busy}>
              Pagar com {methodLabel(OTHER_METHOD)}
            </Button>
          )}
          {canRetry && (
            <Button onClick={() => retry(payment.paymentMethod)} busy={quoted.busy && 'Calculando...'}>
              Tentar Novamente
            </Button>
          )}
        </>
      }
    >
      <div ref={body} className="print-sheet grid grid-cols-[minmax(0,1fr)] gap-5">
        <ResultMark status={status} payment={payment} />
        {payment.credited && <CreditedNote canManage={canManage} onLeave={sheet ? undefined : onClose} />}
        {waiting && provider?.sandbox && <Simulate payment={payment} provider={provider} />}
        {canManage && awaitsBank({ ...payment, status }) && provider && (
          <Authentication payment={payment} provider={provider} onRefused={setRefusal} />
        )}
        {failed && <FailedNote payment={payment} refusal={refusal} canRetry={canRetry} />}
        {status === 'PROCESSING' && <ProcessingNote payment={payment} />}
        {kind === 'code' && (waiting || expiredPix) && (
          <PixCard payment={payment} onRenew={renewPix} renewing={cancel.busy || quoted.busy} />
        )}
        {kind === 'boleto' && waiting && <BoletoCard payment={payment} superseded={replaceable === 'superseded'} />}
        {!isAskingToCancel && <FailureAlert failure={cancel.error} />}
        <ResultDetails payment={payment} onLeave={sheet ? undefined : onClose} />
      </div>
      {isAskingToCancel && waiting && <CancelQuestion cancelling={cancel} onClose={() => setIsAskingToCancel(false)} />}
    </Frame>
  )
}

function PaymentDialog(props: SheetProps) {
  return <Dialog width="payment" {...props} />
}

/** The payment was paid and bought nothing: without a plan, no charge will ever use the credit by itself. */
function CreditedNote({ canManage, onLeave }: { canManage: boolean; onLeave: (() => void) | undefined }) {
  return (
    <Alert
      tone="info"
      actions={
        canManage && (
          <Link to={paths.plans} onClick={onLeave}>
            Ver Planos
          </Link>
        )
      }
    >
      Este pagamento chegou quando já não podia ser aplicado: o valor virou crédito da empresa. Se a empresa está sem
      plano, escolha um: o crédito é usado primeiro.
    </Alert>
  )
}

interface FailedNoteProps {
  payment: Payment
  refusal: CardRefusal | undefined
  canRetry: boolean
}

function FailedNote({ payment, refusal, canRetry }: FailedNoteProps) {
  const own = payment.status === 'FAILED'
  const title = canRetry ? 'Pagamento falhou. Tente novamente.' : 'Pagamento falhou.'
  return (
    <Alert tone="danger" role="alert" title={title}>
      <p>{own || !refusal ? reasonOf(payment) : reasonOfProvider(refusal.code)}</p>
      {refusal && <FailureDetails code={`${refusal.code}: ${refusal.message}`} />}
    </Alert>
  )
}

/** When the status changes, the title takes the focus; one that has it already is not read again, but announced. */
function useFocusOnChange(status: string) {
  const body = useRef<HTMLDivElement>(null)
  const shown = useRef(status)
  useEffect(() => {
    if (shown.current === status) return
    shown.current = status
    const title = body.current?.closest('[role="dialog"]')?.querySelector<HTMLElement>('h2')
    if (title === document.activeElement) announce(titleOf(status))
    else title?.focus()
  }, [status])
  return body
}
