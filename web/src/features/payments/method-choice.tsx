// Which methods the checkout offers for an amount, and which one it begins with.
import { sentenceOf } from '../../api/errors'
import { FIRST_METHOD, methodKind, paymentMethods, type PaymentMethod } from '../../api/payment-methods'
import type { OfferedMethod, Provider } from '../../api/payments'
import { formatMinor } from '../../lib/money'
import type { RadioOption } from '../../ui/radios'

/** A method that this build does not know cannot be paid by here. */
function isKnown({ type }: OfferedMethod): boolean {
  return methodKind(type) !== undefined
}

export function methodOptions(methods: OfferedMethod[], amount: number): RadioOption<PaymentMethod>[] {
  return methods.filter(isKnown).map((method) => {
    const { type, available, reason } = method
    const { label, icon: Glyph, note } = paymentMethods[type]
    const refused = available ? boundOf(method, amount) : reason ? sentenceOf(reason) : 'Indisponível no momento'
    return {
      value: type,
      label,
      icon: <Glyph className="size-5 shrink-0 text-muted" />,
      note,
      disabledReason: refused,
    }
  })
}

/** What the amount is beyond. */
function boundOf({ minAmount, maxAmount }: OfferedMethod, amount: number): string | undefined {
  if (amount < minAmount) return `A partir de ${formatMinor(minAmount)}`
  return maxAmount !== undefined && amount > maxAmount ? `Até ${formatMinor(maxAmount)}` : undefined
}

export function isUsable(method: OfferedMethod, amount: number): boolean {
  return method.available && boundOf(method, amount) === undefined
}

/** The preferred method, else the card, else the first that can be used. */
export function firstMethod(
  { methods }: Provider,
  preferred: PaymentMethod | undefined,
  amount: number,
): PaymentMethod {
  const usable = methods.filter((method) => isKnown(method) && isUsable(method, amount))
  const method = preferred ?? FIRST_METHOD
  return (usable.find(({ type }) => type === method) ?? usable[0])?.type ?? method
}
