// Words of the payment dialogs that are no sentence of their own: brands, providers, result titles.
import type { CardBrand } from '../../lib/card'
import type { PaymentStatus } from '../../lib/labels'

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
