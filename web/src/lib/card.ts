// Card entry of the sandbox form: digits, Luhn, brand by prefix, grouping, expiry. With a real provider card
// data is typed into the provider's own field and none of this runs.
import type { CardBrand } from './card-brand'

const MIN_DIGITS = 13
const MAX_DIGITS = 19

/** Prefix ranges; the first match wins, so the Brazilian brands that live inside Visa's and Discover's come first. */
const PREFIXES: readonly [CardBrand, string][] = [
  [
    'elo',
    '401178-401179 431274 438935 451416 457393 457631-457632 504175 506699-506778 509000-509999 627780 636297 ' +
      '636368-636369 650031-650033 650035-650051 650405-650439 650485-650538 650541-650598 650700-650718 ' +
      '650720-650727 650901-650978 651652-651679 655000-655019 655021-655058',
  ],
  ['hipercard', '606282 384100 384140 384160 637095 637568 637599 637609 637612'],
  ['amex', '34 37'],
  ['mastercard', '51-55 2221-2720'],
  ['discover', '6011 644-649 65'],
  ['aura', '50'],
  ['visa', '4'],
]

const RANGES = PREFIXES.flatMap(([brand, list]) =>
  list.split(' ').map((entry) => {
    const [from = '', to = from] = entry.split('-')
    return { brand, length: from.length, from: Number(from), to: Number(to) }
  }),
)

/** The number typed so far, without spaces and hyphens, at most 19 digits. */
export function cardDigits(text: string): string {
  return text.replace(/\D/g, '').slice(0, MAX_DIGITS)
}

/** Brand as soon as the typed prefix decides it; null while unknown. */
export function cardBrand(digits: string): CardBrand | null {
  const match = RANGES.find(({ length, from, to }) => {
    if (digits.length < length) return false
    const prefix = Number(digits.slice(0, length))
    return prefix >= from && prefix <= to
  })
  return match?.brand ?? null
}

export function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place])
    const doubled = place % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** 13 to 19 digits (spaces and hyphens allowed between) that pass Luhn. */
export function isCardNumber(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '')
  return new RegExp(`^\\d{${MIN_DIGITS},${MAX_DIGITS}}$`).test(digits) && passesLuhn(digits)
}

/** Digits in groups of four. */
export function formatCard(text: string): string {
  return cardDigits(text).replace(/(\d{4})(?=\d)/g, '$1 ')
}

interface Expiry {
  month: number
  year: number
}

/** Month and full year of "12/30"; null when it is no month. */
export function readExpiry(text: string): Expiry | null {
  const parts = /^(\d{2})\s*\/?\s*(\d{2})$/.exec(text.trim())
  if (!parts) return null
  const month = Number(parts[1])
  return month >= 1 && month <= 12 ? { month, year: 2000 + Number(parts[2]) } : null
}

/** A card is good through the last day of its month. */
export function isExpired({ month, year }: Expiry, today: { month: number; year: number }): boolean {
  return year < today.year || (year === today.year && month < today.month)
}

/** "12/30" while typing; also of "12/2030", which some fill in. */
export function formatExpiry(text: string): string {
  const digits = text
    .replace(/\D/g, '')
    .replace(/^(\d{2})20(\d{2})$/, '$1$2')
    .slice(0, 4)
  return digits.length > 2 ? `${digits.slice(0, 2)}/${digits.slice(2)}` : digits
}

/** Digits of the security code: four for American Express, else three. */
export function cvcLength(brand: CardBrand | null): 3 | 4 {
  return brand === 'amex' ? 4 : 3
}
