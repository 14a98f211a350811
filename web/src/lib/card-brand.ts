// Names of the card brands. They stand apart from the rules of card entry, because every signed-in page can name a
// brand and only the payment form needs the table of prefixes.

export const brandLabels = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  aura: 'Aura',
  elo: 'Elo',
  hipercard: 'Hipercard',
} as const

export type CardBrand = keyof typeof brandLabels

/** Name of a stored brand; a brand that is not known here is shown as it is stored. */
export function brandLabel(brand: string): string {
  return Object.hasOwn(brandLabels, brand) ? brandLabels[brand as CardBrand] : brand
}
