// Numbers as people in Brazil type them: points between thousands, a comma before the decimals. A point before one or
// two last digits is taken for the comma that was meant.
import { formatDecimal } from './decimal'

/** Null for an empty or unreadable text; more decimals than `places` are unreadable, never rounded away. */
export function parseNumber(text: string, places: 0 | 2): number | null {
  const plain = text.replace(/^R\$|\s/gu, '')
  const meant = places > 0 && /^\d+\.\d{1,2}$/.test(plain) ? plain.replace('.', ',') : plain
  // Points elsewhere are ignored: the number is still being typed.
  const parts = /^(\d+)(?:,(\d*))?$/.exec(meant.replaceAll('.', ''))
  if (!parts) return null
  const [, whole = '0', fraction = ''] = parts
  if (fraction.length > places) return null
  return Number(`${whole}.${fraction || '0'}`)
}

/** "1.234,50" or "1.234"; empty for null. */
export function formatNumber(value: number | null, places: 0 | 2): string {
  return value === null ? '' : formatDecimal(value, places)
}
