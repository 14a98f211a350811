// Changes as people read them: with their sign, and as percentages only where those say something. Pure.
import { formatDecimal } from './decimal'

/** "+4,2", "-1", "0"; `places` at most. */
export function signedNumber(value: number, places = 1): string {
  const text = formatDecimal(value, 0, places)
  return value > 0 && text !== '0' ? `+${text}` : text
}

/** "+4,2%", "-1%", "0%". */
export function signedPercent(percent: number): string {
  return `${signedNumber(percent)}%`
}

/** From here on a percentage says less than the two values: what more than tripled began with little. */
const TELLING_PERCENT = 200

/** Whether the two values stand in place of the percentage between them. */
export function isBeyondPercent(change: number): boolean {
  return change > TELLING_PERCENT
}
