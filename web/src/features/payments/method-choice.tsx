// Which methods the checkout offers for an amount, and which one it begins with.
import { sentenceOf } from '../../api/errors'
import { FIRST_METHOD, meansOf, paymentMethods, type PaymentMethod } from '../../api/payment-methods'
import type { OfferedMethod, Provider } from '../../api/payments'
import { formatMinor } from '../../lib/money'
import type { RadioOption } from '../../ui/radios'

/** A method that this build does not know cannot be paid by here. */
function isKnown({ type }: OfferedMethod): boolean {
  return meansOf(type) !== undefined
}

export function methodOptions(methods: OfferedMethod[], amount: number): RadioOption<PaymentMethod>[] {
  return methods.filter(isKnown).map(({ type, available, reason, minAmount }) => {
    const { label, icon: Glyph, note } = paymentMethods[type]
    const tooSmall = amount < minAmount ? `A partir de ${formatMinor(minAmount)}` : undefined
    const refused = available ? tooSmall : reason ? sentenceOf(reason) : 'Indisponível no momento'
    return {
      value: type,
      label,
      icon: <Glyph className="size-5 shrink-0 text-muted" />,
      note,
      disabledReason: refused,
    }
  })
}

export function isUsable({ available, minAmount }: OfferedMethod, amount: number): boolean {
  return available && amount >= minAmount
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
