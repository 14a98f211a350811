// CSV as spreadsheets in Brazil expect it: semicolons, a decimal comma, CRLF. Pure; `ui/save-file.ts` saves it.

import { formatDateTime } from './dates'
import { toReais } from './money'

export type CsvCell = string | number | null

/** A table as text. Numbers get a decimal comma; null is an empty cell. */
export function csvOf(columns: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [columns, ...rows].map((row) => row.map(cellText).join(';')).join('\r\n')
}

/** `21/11/2026 09:00`: behind a comma the hour would make it text. */
export function csvMoment(at: string): string {
  return formatDateTime(at).replace(',', '')
}

/** `2026-11` to `11/2026`: what pages call `nov/26` is the 26th of November of this year for Excel. */
export function csvMonth(month: string): string {
  return month.split('-').toReversed().join('/')
}

/** `1234,56`, in reais: always with both decimals. */
export function csvAmount(minor: number): string {
  return toReais(minor).toFixed(2).replace('.', ',')
}

function cellText(cell: CsvCell): string {
  if (cell === null) return ''
  return typeof cell === 'number' ? String(cell).replace('.', ',') : quoted(cell)
}

/** What begins a formula in some spreadsheet: also behind a break, and in full width. As in `core/src/csv.rs`. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

/** A text that starts like a formula stays text, also for a spreadsheet; an amount below zero stays a number. */
function quoted(value: string): string {
  const isFormula = FORMULA.test(value) && !/^-\d+(,\d+)?$/.test(value)
  const safe = isFormula ? `'${value}` : value
  return /[";\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
