// The state of the page's one payment dialog. Any screen opens it here; `features/payments/payment-host.tsx` shows it.
// It stands in `live` because an open payment keeps a hidden tab connected and is not paused.
import type { PaymentMethod } from '../api/payment-methods'
import type { ChangeType } from '../api/subscriptions'
import type { BillingCycle } from '../lib/labels'
import type { Minor } from '../lib/money'
import { Observable, useObservable } from '../lib/observable'

export interface Order {
  companyId: string
  planId: string
  planName: string
  billingCycle: BillingCycle
  changeType: ChangeType
  amount: Minor
  quoteId?: string | undefined
}

/** The card provider's refusal in this browser; shown until the server reports a final status. */
export interface CardRefusal {
  code: string
  message: string
}

export type PaymentDialog =
  | { kind: 'closed' }
  | { kind: 'checkout'; order: Order; method?: PaymentMethod; replace?: boolean }
  | {
      kind: 'result'
      companyId: string
      paymentId: string
      order?: Order | undefined
      refusal?: CardRefusal | undefined
    }

const dialog = new Observable<PaymentDialog>({ kind: 'closed' })

export function usePaymentDialog(): PaymentDialog {
  return useObservable(dialog)
}

export function openCheckout(order: Order, options: { method?: PaymentMethod; replace?: boolean } = {}): void {
  dialog.set({ kind: 'checkout', order, ...options })
}

export function openPayment(
  companyId: string,
  paymentId: string,
  more: { order?: Order | undefined; refusal?: CardRefusal | undefined } = {},
): void {
  dialog.set({ kind: 'result', companyId, paymentId, ...more })
}

export function closePaymentDialog(): void {
  dialog.set({ kind: 'closed' })
}

export function shownPaymentDialog(): PaymentDialog {
  return dialog.get()
}

/** While somebody pays, a hidden tab stays connected, this payment is not paused and no reload is offered. */
export function isPaying(): boolean {
  return dialog.get().kind !== 'closed'
}
