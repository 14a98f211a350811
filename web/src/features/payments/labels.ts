// Words of the payment dialogs that are no sentence of their own: brands, providers, result titles.
import type { Payment } from '../../api/payments'
import type { Plan } from '../../api/plans'
import type { CardBrand } from '../../lib/card'
import { billingCycleLabels, type PaymentStatus } from '../../lib/labels'

export const brandLabels: Record<CardBrand, string> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  aura: 'Aura',
  elo: 'Elo',
  hipercard: 'Hipercard',
}

export function brandLabel(brand: string): string {
  return Object.hasOwn(brandLabels, brand) ? brandLabels[brand as CardBrand] : brand
}

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
export function descriptionOf({ metadata }: Pick<Payment, 'metadata'>, plans: readonly Pick<Plan, 'id' | 'displayName'>[]): string {
  const plan = plans.find(({ id }) => id === metadata.planId)?.displayName ?? 'Assinatura'
  return `${plan} · ${billingCycleLabels[metadata.billingCycle] ?? metadata.billingCycle}`
}
