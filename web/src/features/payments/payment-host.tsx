// Shows the page's one payment dialog: the checkout of an order, the state of a payment, or the question what becomes of
// a payment that is open already. Mounted once in the layout; any screen opens it through the payment dialog.
import { Suspense, useEffect, type ReactNode } from 'react'
import { mayManage, maySeeMoney, type Company } from '../../api/companies'
import { lazyPart } from '../../api/lazy-part'
import { useCompany } from '../../auth/company'
import { closePaymentDialog, usePaymentDialog, type PaymentDialog } from '../../live/payment-dialog'
import { Dialog } from '../../ui/dialog'
import { notifyWarning } from '../../ui/toast'
import { LoadingPayment } from './loading-payment'
import { useCloseWithPage } from './use-close-with-page'

const CheckoutDialog = lazyPart(() => import('./checkout-dialog'), inDialog)
const OpenPaymentDialog = lazyPart(() => import('./open-payment-dialog'), inDialog)
const ResultDialog = lazyPart(() => import('./result-dialog'), inDialog)

/** Whoever pressed sees at once that something comes of it, also while the dialog's code is on its way. */
function Opening() {
  useCloseWithPage(false)
  return (
    <Dialog focusTitle onClose={closePaymentDialog} title="Pagamento">
      <LoadingPayment />
    </Dialog>
  )
}

/** What is said in the place of a dialog's code that has not arrived. */
function inDialog(_: unknown, notice: ReactNode, title: string): ReactNode {
  return (
    <Dialog onClose={closePaymentDialog} title={title}>
      {notice}
    </Dialog>
  )
}

export function PaymentHost() {
  const dialog = usePaymentDialog()
  const { query, company } = useCompany()
  const companyId = companyOf(dialog)
  // Another company was selected, or the person has lost this one: the dialog belongs to the former one.
  const isLeft = companyId !== undefined && query.data !== undefined && company?.id !== companyId
  const isBarred = company !== undefined && company.id === companyId && !maySee(dialog, company)
  const companyName = company?.companyName

  useEffect(() => {
    if (isLeft || isBarred) closePaymentDialog()
    if (isBarred) notifyWarning(`Você não pode mais pagar pela empresa ${companyName}`, { id: `barred ${companyId}` })
  }, [isLeft, isBarred, companyId, companyName])
  useEffect(() => closePaymentDialog, [])

  // The dialog goes at once: with something typed into it, it would ask before the person may leave the page.
  return <Suspense fallback={<Opening />}>{!isLeft && !isBarred && shown(dialog, company)}</Suspense>
}

/** A payment that was made may be followed where nothing more may be paid. */
function maySee({ kind }: PaymentDialog, company: Company): boolean {
  return kind === 'result' ? maySeeMoney(company) : mayManage(company)
}

function companyOf(dialog: PaymentDialog): string | undefined {
  if (dialog.kind === 'closed') return undefined
  return dialog.kind === 'checkout' ? dialog.order.companyId : dialog.companyId
}

function shown(dialog: PaymentDialog, company: Company | undefined): ReactNode {
  switch (dialog.kind) {
    case 'closed':
      return null
    case 'checkout':
      return (
        <CheckoutDialog
          key={`${dialog.order.planId} ${dialog.order.billingCycle} ${dialog.order.quoteId ?? ''}`}
          order={dialog.order}
          method={dialog.method}
          replace={dialog.replace ?? false}
          unquoted={dialog.unquoted}
        />
      )
    case 'conflict':
      return <OpenPaymentDialog key={dialog.paymentId} conflict={dialog} />
    case 'result':
      return (
        <ResultDialog
          key={dialog.paymentId}
          companyId={dialog.companyId}
          paymentId={dialog.paymentId}
          canManage={company !== undefined && mayManage(company)}
          order={dialog.order}
          refusal={dialog.refusal}
        />
      )
  }
}
