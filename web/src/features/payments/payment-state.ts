// Small decisions about a payment that several parts of its dialog share.
import { useQuery } from '@tanstack/react-query'
import type { Payment } from '../../api/payments'
import { plansQuery } from '../../api/plans'
import type { ChangeType } from '../../api/subscriptions'
import type { PaymentStatus } from '../../lib/labels'
import type { Minor } from '../../lib/money'
import type { CardRefusal, Order } from '../../live/payment-desk'

export function isOpen({ status }: Pick<Payment, 'status'>): boolean {
  return status === 'PENDING' || status === 'PROCESSING'
}

/** A card that was refused in this browser is shown as refused until the server's own word is final. */
export function shownStatus(payment: Payment, refusal: CardRefusal | undefined): PaymentStatus {
  return refusal && isOpen(payment) && payment.paymentMethod === 'CREDIT_CARD' ? 'FAILED' : payment.status
}

/** Open, and no issued boleto: those cannot be taken back. */
export function isCancellable(payment: Payment): boolean {
  return isOpen(payment) && !(payment.paymentMethod === 'BANK_SLIP' && payment.bankSlipLine) && payment.failureCode !== 'under_review'
}

/** What to pay when this payment is tried again; without the first order (a reload) it is read from the payment. */
export function useRetryOrder(payment: Payment, order: Order | undefined): Order | null {
  const plans = useQuery({ ...plansQuery(), enabled: order === undefined })
  if (order) return { ...order, amount: payment.amount as Minor }
  const { planId, billingCycle, changeType } = payment.metadata
  const plan = plans.data?.find(({ id }) => id === planId)
  if (!plan) return null
  return {
    companyId: payment.companyId,
    planId,
    planName: plan.displayName,
    billingCycle,
    changeType: changeType as ChangeType,
    amount: payment.amount as Minor,
  }
}
