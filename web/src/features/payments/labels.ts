// Words of the payment dialogs that are no sentence of their own: providers, result titles.
import type { Payment } from '../../api/payments'
import type { Plan } from '../../api/plans'
import { billingCycleLabels, type PaymentStatus } from '../../lib/labels'

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

/** "Essencial · Mensal"; a plan that is no longer sold has no name here. */
export function descriptionOf(
  { metadata }: Pick<Payment, 'metadata'>,
  plans: readonly Pick<Plan, 'id' | 'displayName'>[],
): string {
  const plan = plans.find(({ id }) => id === metadata.planId)?.displayName ?? 'Assinatura'
  return `${plan} · ${billingCycleLabels[metadata.billingCycle] ?? metadata.billingCycle}`
}
