// Changes as people read them: with their sign, and as percentages only where those say something. Pure.
import { madeOnce } from './made-once'

const format = madeOnce(() => new Intl.NumberFormat('pt-BR', { maximumFractionDigits: 1, signDisplay: 'exceptZero' }))

/** "+4,2", "-1", "0". */
export function signedNumber(value: number): string {
  return format().format(value)
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
