// The one payment dialog of the page: any screen opens it here, the host of the payments feature shows it. It stands
// in `live` because an open payment is what keeps a hidden tab connected and is exempt from a pause.
import { useSyncExternalStore } from 'react'
import type { ChangeType } from '../api/subscriptions'
import type { BillingCycle, PaymentMethodType } from '../lib/labels'
import type { Minor } from '../lib/money'
import { Observable } from './status'

export interface Order {
  companyId: string
  planId: string
  planName: string
  billingCycle: BillingCycle
  changeType: ChangeType
  amount: Minor
  quoteId?: string | undefined
}

/** The card provider's refusal in this browser; shown until the server's own word is final. */
export interface CardRefusal {
  code: string
  message: string
}

export type Desk =
  | { kind: 'closed' }
  | { kind: 'checkout'; order: Order; method?: PaymentMethodType; replace?: boolean }
  | {
      kind: 'result'
      companyId: string
      paymentId: string
      order?: Order | undefined
      refusal?: CardRefusal | undefined
    }

const desk = new Observable<Desk>({ kind: 'closed' })

export function usePaymentDesk(): Desk {
  return useSyncExternalStore(desk.subscribe, desk.get)
}

export function openCheckout(order: Order, options: { method?: PaymentMethodType; replace?: boolean } = {}): void {
  desk.set({ kind: 'checkout', order, ...options })
}

export function openPayment(
  companyId: string,
  paymentId: string,
  more: { order?: Order | undefined; refusal?: CardRefusal | undefined } = {},
): void {
  desk.set({ kind: 'result', companyId, paymentId, ...more })
}

export function closeDesk(): void {
  desk.set({ kind: 'closed' })
}

export function shownAtDesk(): Desk {
  return desk.get()
}

/** Somebody is paying: no rest for a hidden tab, no pause for this payment, no reload offer. */
export function isPaying(): boolean {
  return desk.get().kind !== 'closed'
}
