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

/** A payment, with what this page knows of how it came about. */
export interface PaymentView {
  companyId: string
  paymentId: string
  order?: Order | undefined
  refusal?: CardRefusal | undefined
}

type PaymentDialog =
  | { kind: 'closed' }
  | { kind: 'checkout'; order: Order; method?: PaymentMethod; replace?: boolean }
  | ({ kind: 'result' } & PaymentView)

export const paymentDialog = new Observable<PaymentDialog>({ kind: 'closed' })

export function usePaymentDialog(): PaymentDialog {
  return useObservable(paymentDialog)
}

export function openCheckout(order: Order, options: { method?: PaymentMethod; replace?: boolean } = {}): void {
  paymentDialog.set({ kind: 'checkout', order, ...options })
}

export function openPayment(companyId: string, paymentId: string, more?: Pick<PaymentView, 'order' | 'refusal'>): void {
  paymentDialog.set({ kind: 'result', companyId, paymentId, ...more })
}

export function closePaymentDialog(): void {
  paymentDialog.set({ kind: 'closed' })
}

/** While somebody pays, a hidden tab stays connected, this payment is not paused and no reload is offered. */
export function isPaying(): boolean {
  return paymentDialog.get().kind !== 'closed'
}
