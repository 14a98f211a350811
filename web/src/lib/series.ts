// Findings and shapes of series by month. Pure: the words under a chart come from its numbers.
import { formatMonth } from './dates'
import { toMinor, toReais } from './money'
import { isBeyondPercent, signedPercent } from './percent'

interface MonthValue {
  month: string
  value: number | null
}

/** One column of the rows, as the functions below take it. */
export function valuesOf<Row extends { month: string }>(
  rows: readonly Row[],
  value: (row: Row) => number | null,
): MonthValue[] {
  return rows.map((row) => ({ month: row.month, value: value(row) }))
}

/** The label of the step that has not ended: today, or this month; undefined where the rows end before it. */
export function runningOf(rows: readonly { month: string }[], today: string): string | undefined {
  const running = rows.find(({ month }) => today.startsWith(month))
  return running && formatMonth(running.month)
}

export function stepName(rows: readonly { month: string }[]): 'dia' | 'mês' {
  return isDaily(rows) ? 'dia' : 'mês'
}

function isDaily(rows: readonly { month: string }[]): boolean {
  return rows[0]?.month.length === 'YYYY-MM-DD'.length
}

/** Change of the last value against the first, in percent; null without a first value to compare with. */
export function changeOver(values: readonly number[]): number | null {
  const first = values[0]
  const last = values.at(-1)
  if (first === undefined || last === undefined || values.length < 2 || first === 0) return null
  return ((last - first) / first) * 100
}

/**
 * "MRR subiu 4,2% de jan/26 a mar/26": what a chart shows, in one sentence. There is no percentage of zero: a series
 * that begins there is compared from the month in which it left it.
 */
export function finding(subject: string, rows: readonly MonthValue[], format: (value: number) => string): string {
  const known = knownOf(rows)
  const first = known[0]
  const last = known.at(-1)
  if (!first || !last) return `${subject}: sem dados neste período`
  const range = monthRange(known)
  if (first === last) return `${subject} ${range}`
  const moving = known.slice(known.findIndex(({ value }) => value !== 0))
  const start = moving[0]
  if (!start || start.value === 0) return `${subject} sem movimento ${range}`
  const end = moving.at(-1) ?? start
  const change = changeOver([start.value, end.value]) ?? 0
  if (start === first && isBeyondPercent(change))
    return `${subject} foi de ${format(start.value)} em ${formatMonth(first.month)} para ${format(end.value)} em ${formatMonth(last.month)}`
  const course = isBeyondPercent(change)
    ? `foi de ${format(start.value)} para ${format(end.value)}`
    : courseOf(moving.map(({ value }) => value))
  if (start === first) return `${subject} ${course} ${range}`
  const left = `${subject} saiu de zero em ${formatMonth(start.month)}`
  return start === last ? left : `${left} e ${course} até ${formatMonth(last.month)}`
}

function knownOf(rows: readonly MonthValue[]) {
  return rows.filter((row): row is { month: string; value: number } => row.value !== null)
}

function courseOf(values: readonly number[]): string {
  const change = changeOver(values) ?? 0
  if (Math.abs(change) < 0.05) return 'ficou estável'
  return `${change > 0 ? 'subiu' : 'caiu'} ${signedPercent(change).slice(1)}`
}

/** "de set/26 a nov/26", "em nov/26": what the rows cover, which may be more than the period that was chosen. */
export function monthRange(rows: readonly { month: string }[]): string {
  const first = rows[0]
  const last = rows.at(-1)
  if (!first || !last) return 'neste período'
  if (first === last) return `em ${formatMonth(first.month)}`
  return `de ${formatMonth(first.month)} a ${formatMonth(last.month)}`
}

/**
 * The course of a series in words: "MRR: de R$ 10,00 em jan/26 a R$ 30,00 em mar/26; menor valor ..., maior valor ...".
 */
export function describeSeries(
  subject: string,
  rows: readonly MonthValue[],
  format: (value: number) => string,
): string {
  const known = knownOf(rows)
  const first = known[0]
  const last = known.at(-1)
  if (!first || !last) return `${subject}: sem dados neste período.`
  const at = ({ month, value }: { month: string; value: number }) => `${format(value)} em ${formatMonth(month)}`
  if (first === last) return `${subject}: ${at(first)}.`
  const low = known.reduce((lowest, row) => (row.value < lowest.value ? row : lowest))
  const high = known.reduce((highest, row) => (row.value > highest.value ? row : highest))
  return `${subject}: de ${at(first)} a ${at(last)}; menor valor ${at(low)}, maior valor ${at(high)}.`
}

/** A total of money in reais, summed in centavos. */
export function sumOf<T>(rows: readonly T[], value: (row: T) => number): number {
  return toReais(rows.reduce((total, row) => total + toMinor(value(row)), 0))
}

/** `2026-11` and the months before it, newest first. */
export function lastMonths(month: string, count: number): string[] {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return Array.from({ length: count }, (_, back) => {
    const index = year * 12 + number - 1 - back
    return `${Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`
  })
}
