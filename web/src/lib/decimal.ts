// Numbers as Brazil writes them, by hand: what `Intl.NumberFormat` loads before its first number keeps a slow phone busy
// for more than 50 ms, at the very moment when the first page is shown. The tests compare the two.

/** "1.234,5": from `least` to `most` digits after the comma, halves away from zero. */
export function formatDecimal(value: number, least = 0, most = least): string {
  const [whole = '', fraction = ''] = round(Math.abs(value), most).toFixed(most).split('.')
  const digits = fraction.replace(/0+$/, '').padEnd(least, '0')
  const size = whole.replace(/\B(?=(?:\d{3})+$)/g, '.') + (digits && `,${digits}`)
  return value < 0 && /[1-9]/.test(size) ? `-${size}` : size
}

/** "1.234". */
export function formatCount(count: number): string {
  return formatDecimal(count)
}

/** "R$ 1.234,56", with U+00A0 after R$. */
export function formatBRL(value: number): string {
  return inReais(formatDecimal(value, 2))
}

/** "R$ 12,3 mil" from decimal reais, for metric cards and axes; the full value belongs in the title. */
export function formatCompactReais(value: number): string {
  return inReais(formatCompact(value))
}

const STEPS = ['', 'mil', 'mi', 'bi', 'tri']

/** "12,3 mil", with U+00A0 before the word. */
export function formatCompact(value: number): string {
  let step = 0
  let size = value
  while (round(Math.abs(size), 1) >= 1000 && step < STEPS.length - 1) {
    step += 1
    size = value / 1000 ** step
  }
  return formatDecimal(size, 0, 1) + (step > 0 ? `\u00a0${STEPS[step]}` : '')
}

/** The sign stands before the currency. */
function inReais(text: string): string {
  return text.startsWith('-') ? `-R$\u00a0${text.slice(1)}` : `R$\u00a0${text}`
}

/**
 * By the digits that the number is written with: 1,005 is rounded to 1,01, although its binary form is below it. Larger
 * numbers than the exact ones have no fraction, and the largest are written with an exponent.
 */
function round(value: number, places: number): number {
  if (value > Number.MAX_SAFE_INTEGER) return value
  const shifted = Number(`${value}e${places}`)
  return Number.isNaN(shifted) ? value : Number(`${Math.round(shifted)}e-${places}`)
}
