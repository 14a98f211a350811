// Small decisions about a payment that several parts of its dialog share.
import { useQuery } from '@tanstack/react-query'
import { isIssuedBoleto, methodKind } from '../../api/payment-methods'
import type { Payment } from '../../api/payments'
import { plansQuery } from '../../api/plans'
import { subscriptionQuery } from '../../api/subscriptions'
import { isOpenPayment, type PaymentStatus } from '../../lib/labels'
import type { CardRefusal, Order } from '../../live/payment-dialog'
import type { NamedPlan } from './labels'

/** A card that the provider refused in this browser is shown as refused until the server reports a final status. */
export function shownStatus(payment: Payment, refusal: CardRefusal | undefined): PaymentStatus {
  return refusal && isOpenPayment(payment) && methodKind(payment.paymentMethod) === 'card' ? 'FAILED' : payment.status
}

/** Open, and neither an issued boleto nor under review: those two cannot be cancelled. */
export function isCancellable(payment: Payment): boolean {
  return isOpenPayment(payment) && !isIssuedBoleto(payment) && payment.failureCode !== 'under_review'
}

/**
 * Whether another payment may take the place of one that waits for its payer. The server closes it when the other one
 * begins; an issued boleto cannot be closed, it is superseded, once.
 */
export function useReplaceable(payment: Payment): 'yes' | 'no' | 'superseded' {
  const issued = isOpenPayment(payment) && isIssuedBoleto(payment)
  const subscription = useQuery({ ...subscriptionQuery(payment.companyId), enabled: issued })
  if (!issued) return payment.status === 'PENDING' && isCancellable(payment) ? 'yes' : 'no'
  if (subscription.data === undefined || subscription.isFetching) return 'no'
  return subscription.data?.payment?.id === payment.id ? 'yes' : 'superseded'
}

/** Whether the payment's PIX code can no longer be paid and was not paid. */
export function isExpiredPix({ paymentMethod, status, failureCode, expiresAt }: Payment, now: number): boolean {
  if (methodKind(paymentMethod) !== 'code' || status === 'SUCCESS') return false
  return failureCode === 'payment_expired' || (expiresAt !== undefined && Date.parse(expiresAt) <= now)
}

/** What to pay when this payment is tried again; without the first order (a reload) it is read from the payment. */
export function useRetryOrder(payment: Payment, order: Order | undefined): Order | null {
  const { planId, billingCycle, changeType } = payment.metadata
  const planName = usePlans(payment.companyId, order === undefined).find(({ id }) => id === planId)?.displayName
  if (order?.amount === payment.amount) return order
  // The server has put the amount right since: what it is made of is asked again.
  if (order) return { ...order, amount: payment.amount, preview: undefined, quoteId: undefined }
  if (planName === undefined) return null
  return { companyId: payment.companyId, planId, planName, billingCycle, changeType, amount: payment.amount }
}

/** The plans on sale, and the company's own, which may not be sold any more. */
export function usePlans(companyId: string, enabled = true): NamedPlan[] {
  const plans = useQuery({ ...plansQuery(), enabled })
  const subscription = useQuery({ ...subscriptionQuery(companyId), enabled })
  const own = subscription.data?.plan
  return [...(plans.data ?? []), ...(own ? [own] : [])]
}
