// Words that several of the payment dialogs share: providers, result titles, what becomes of a boleto.
import type { Payment } from '../../api/payments'
import type { Plan } from '../../api/plans'
import { planAndCycle, type PaymentStatus } from '../../lib/labels'
import { isOverdue } from '../../live/subscription-state'

const providers: Record<string, string> = { stripe: 'Stripe' }

export function providerLabel(name: string): string {
  return providers[name] ?? name
}

const titles: Record<PaymentStatus, string> = {
  SUCCESS: 'Pagamento Aprovado!',
  FAILED: 'Pagamento Recusado',
  PENDING: 'Pagamento Pendente',
  PROCESSING: 'Processando Pagamento',
  CANCELLED: 'Pagamento Cancelado',
}

export function titleOf(status: string): string {
  return Object.hasOwn(titles, status) ? titles[status as PaymentStatus] : 'Status Desconhecido'
}

/** What becomes of an issued boleto when another payment takes its place: from then on it buys nothing. */
export function replacedBoleto(boleto: Pick<Payment, 'paymentMethod' | 'expiresAt'>): string {
  return isOverdue(boleto)
    ? 'O boleto venceu. Com outro pagamento no lugar dele, o que já foi pago por ele vira crédito da empresa.'
    : 'O boleto continua valendo até vencer. Com outro pagamento no lugar dele, o boleto já não paga o plano: se for pago, o valor vira crédito da empresa.'
}

export type NamedPlan = Pick<Plan, 'id' | 'displayName'>

/** "Essencial · Mensal"; a plan that is neither sold any more nor the company's own has no name here. */
export function descriptionOf({ metadata }: Pick<Payment, 'metadata'>, plans: readonly NamedPlan[]): string {
  const plan = plans.find(({ id }) => id === metadata.planId)?.displayName ?? 'Assinatura'
  return planAndCycle(plan, metadata.billingCycle)
}
