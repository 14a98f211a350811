// Shows the page's one payment dialog: the checkout of an order, or the state of a payment. Mounted once in the layout;
// any screen opens it through the payment desk.
import { lazy, Suspense, useEffect, useRef } from 'react'
import { useCompany } from '../../auth/company'
import { closeDesk, usePaymentDesk } from '../../live/payment-desk'

const CheckoutDialog = lazy(() => import('./checkout-dialog').then((m) => ({ default: m.CheckoutDialog })))
const ResultDialog = lazy(() => import('./result-dialog').then((m) => ({ default: m.ResultDialog })))

export function PaymentHost() {
  const desk = usePaymentDesk()
  const { company } = useCompany()
  const companyId =
    desk.kind === 'checkout' ? desk.order.companyId : desk.kind === 'result' ? desk.companyId : undefined

  // Another company was selected: its predecessor's payment is none of this page's business any more.
  useEffect(() => {
    if (companyId !== undefined && company !== undefined && company.id !== companyId) closeDesk()
  }, [companyId, company])
  useEffect(() => closeDesk, [])
  useFocusReturn(desk.kind === 'closed')

  if (desk.kind === 'closed') return null
  return (
    <Suspense fallback={null}>
      {desk.kind === 'checkout' ? (
        <CheckoutDialog
          key={`${desk.order.planId} ${desk.order.billingCycle} ${desk.order.quoteId ?? ''}`}
          order={desk.order}
          method={desk.method}
          replace={desk.replace ?? false}
        />
      ) : (
        <ResultDialog
          key={desk.paymentId}
          companyId={desk.companyId}
          paymentId={desk.paymentId}
          order={desk.order}
          refusal={desk.refusal}
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
