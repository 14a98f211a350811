// Shows the page's one payment dialog: the checkout of an order, or the state of a payment. Mounted once in the layout;
// any screen opens it through the payment desk.
import { lazy, Suspense, useEffect } from 'react'
import { useCompany } from '../../auth/company'
import { closeDesk, usePaymentDesk } from '../../live/payment-desk'

const CheckoutDialog = lazy(() => import('./checkout-dialog').then((m) => ({ default: m.CheckoutDialog })))
const ResultDialog = lazy(() => import('./result-dialog').then((m) => ({ default: m.ResultDialog })))

export function PaymentHost() {
  const desk = usePaymentDesk()
  const { company } = useCompany()
  const companyId = desk.kind === 'checkout' ? desk.order.companyId : desk.kind === 'result' ? desk.companyId : undefined

  // Another company was selected: its predecessor's payment is none of this page's business any more.
  useEffect(() => {
    if (companyId !== undefined && company !== undefined && company.id !== companyId) closeDesk()
  }, [companyId, company])
  useEffect(() => closeDesk, [])

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
        <ResultDialog key={desk.paymentId} companyId={desk.companyId} paymentId={desk.paymentId} order={desk.order} refusal={desk.refusal} />
      )}
    </Suspense>
  )
}
