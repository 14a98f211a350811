// The payment methods of the contract, one row each: everything in which the screens treat them differently.
import { BoletoIcon, CardIcon, PixIcon, type Icon } from '../ui/icons'
import type { Schemas } from './client'

export type PaymentMethod = Schemas['Method']

/**
 * `card`: typed or chosen in the checkout and confirmed there. `code`: a QR code that expires after a day. `boleto`: a
 * document with a due date; once issued it stays payable and cannot be cancelled.
 */
type MethodKind = 'card' | 'code' | 'boleto'

interface Row {
  label: string
  icon: Icon
  kind: MethodKind
  /** Below the label in the checkout. */
  note?: string
  /** In the checkout while this method is chosen. */
  hint?: string
  /** What paying by it makes first, as the second line of the button. */
  makes?: string
  /** The button that opens an open payment. */
  openLabel?: string
}

export const paymentMethods: Record<PaymentMethod, Row> = {
  CREDIT_CARD: { label: 'Cartão de Crédito', icon: CardIcon, kind: 'card' },
  PIX: {
    label: 'PIX',
    icon: PixIcon,
    kind: 'code',
    note: 'Instantâneo',
    hint: 'O QR Code aparece depois de confirmar.',
    makes: 'Gerar código PIX',
    openLabel: 'Ver PIX',
  },
  BANK_SLIP: {
    label: 'Boleto',
    icon: BoletoIcon,
    kind: 'boleto',
    note: '3 dias',
    hint: 'Vence em 3 dias úteis.',
    makes: 'Gerar boleto',
    openLabel: 'Ver boleto',
  },
}

/** Chosen in the checkout when nothing else was asked for. */
export const FIRST_METHOD: PaymentMethod = 'CREDIT_CARD'

/** Offered when a payment by another method failed or has to be replaced. */
export const OTHER_METHOD: PaymentMethod = 'PIX'

/** A method that this build does not know shows its code. */
export function methodLabel(method: PaymentMethod): string {
  return paymentMethods[method]?.label ?? method
}

/** Undefined for a method that this build does not know. */
export function methodKind(method: PaymentMethod): MethodKind | undefined {
  return paymentMethods[method]?.kind
}

/** Whether it is an issued boleto: that stays payable until it expires, and cannot be cancelled. */
export function isIssuedBoleto({
  paymentMethod,
  bankSlipLine,
}: Pick<Schemas['Payment'], 'paymentMethod' | 'bankSlipLine'>): boolean {
  return methodKind(paymentMethod) === 'boleto' && Boolean(bankSlipLine)
}
