// Shows the page's one payment dialog: the checkout of an order, or the state of a payment. Mounted once in the layout;
// any screen opens it through the payment dialog.
import { lazy, Suspense, useEffect, useRef } from 'react'
import { useCompany } from '../../auth/company'
import { closePaymentDialog, usePaymentDialog } from '../../live/payment-dialog'

const CheckoutDialog = lazy(() => import('./checkout-dialog'))
const ResultDialog = lazy(() => import('./result-dialog'))

export function PaymentHost() {
  const dialog = usePaymentDialog()
  const { company } = useCompany()
  const companyId =
    dialog.kind === 'checkout' ? dialog.order.companyId : dialog.kind === 'result' ? dialog.companyId : undefined

  // Another company was selected: the dialog belongs to the former one.
  useEffect(() => {
    if (companyId !== undefined && company !== undefined && company.id !== companyId) closePaymentDialog()
  }, [companyId, company])
  useEffect(() => closePaymentDialog, [])
  useFocusReturn(dialog.kind === 'closed')

  if (dialog.kind === 'closed') return null
  return (
    <Suspense fallback={null}>
      {dialog.kind === 'checkout' ? (
        <CheckoutDialog
          key={`${dialog.order.planId} ${dialog.order.billingCycle} ${dialog.order.quoteId ?? ''}`}
          order={dialog.order}
          method={dialog.method}
          replace={dialog.replace ?? false}
        />
      ) : (
        <ResultDialog
          key={dialog.paymentId}
          companyId={dialog.companyId}
          paymentId={dialog.paymentId}
          order={dialog.order}
          refusal={dialog.refusal}
        />
      )}
    </Suspense>
  )
}

/**
 * A purchase goes through several dialogs, each of which gives the focus back to one that is gone. After the last of
 * them it goes to whatever had it on the page itself.
 */
function useFocusReturn(closed: boolean): void {
  const onPage = useRef<HTMLElement | null>(null)
  useEffect(() => {
    const remember = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement && !target.closest('[role="dialog"], [role="alertdialog"]'))
        onPage.current = target
    }
    document.addEventListener('focusin', remember)
    return () => document.removeEventListener('focusin', remember)
  }, [])
  useEffect(() => {
    if (!closed) return
    // After the dialog's own attempt, which is made in a task of its own.
    const timer = setTimeout(() =>
      setTimeout(() => document.activeElement === document.body && onPage.current?.focus()),
    )
    return () => clearTimeout(timer)
  }, [closed])
}
