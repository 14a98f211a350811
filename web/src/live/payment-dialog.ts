// The state of the page's one payment dialog. Any screen opens it here; `features/payments/payment-host.tsx` shows it.
// It stands in `live` because an open payment keeps a hidden tab connected and is not paused.
import type { PaymentMethod } from '../api/payment-methods'
import type { ChangeType, PlanChoice, Preview } from '../api/subscriptions'
import type { Failure } from '../lib/failure'
import type { BillingCycle } from '../lib/labels'
import { toMinor } from '../lib/money'
import { Observable, useObservable } from '../lib/observable'

export interface Order {
  companyId: string
  planId: string
  planName: string
  billingCycle: BillingCycle
  changeType: ChangeType
  /** Integer minor units. */
  amount: number
  quoteId?: string | undefined
  /** What the summary shows beside the plan; unknown after a reload. */
  preview?: Preview | undefined
}

/** The order of a quote. */
export function orderOf(companyId: string, { planId, billingCycle }: PlanChoice, preview: Preview): Order {
  const { newPlan, changeType, quoteId, billing } = preview
  const amount = toMinor(billing.amountDue)
  return { companyId, planId, billingCycle, planName: newPlan.name, changeType, amount, quoteId, preview }
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

/** Another payment is open already, and something else was asked for. */
export interface OpenPaymentConflict {
  companyId: string
  /** The one that is open. */
  paymentId: string
  /** Without a payment for what was asked for, nothing can take the place of an issued boleto. */
  costsNothing?: boolean
  /** Goes on with what was asked for; `replace`: the open one cannot be cancelled, the new one takes its place. */
  proceed: (replace: boolean) => void
}

/** Why an order has the catalogue's price: there is no preview of it. */
export interface MissingPreview {
  title: string
  error: Failure
}

interface CheckoutOptions {
  method?: PaymentMethod
  replace?: boolean
  unquoted?: MissingPreview
}

export type PaymentDialog =
  | { kind: 'closed' }
  | ({ kind: 'checkout'; order: Order } & CheckoutOptions)
  | ({ kind: 'conflict' } & OpenPaymentConflict)
  | ({ kind: 'result' } & PaymentView)

export const paymentDialog = new Observable<PaymentDialog>({ kind: 'closed' })

export function usePaymentDialog(): PaymentDialog {
  return useObservable(paymentDialog)
}

export function openCheckout(order: Order, options: CheckoutOptions = {}): void {
  paymentDialog.set({ kind: 'checkout', order, ...options })
}

export function showPayment(companyId: string, paymentId: string, more?: Pick<PaymentView, 'order' | 'refusal'>): void {
  paymentDialog.set({ kind: 'result', companyId, paymentId, ...more })
}

export function askAboutOpenPayment(conflict: OpenPaymentConflict): void {
  paymentDialog.set({ kind: 'conflict', ...conflict })
}

export function closePaymentDialog(): void {
  paymentDialog.set({ kind: 'closed' })
}

/** While somebody pays, a hidden tab stays connected, this payment is not paused and no reload is offered. */
export function isPaying(): boolean {
  return paymentDialog.get().kind !== 'closed'
}
