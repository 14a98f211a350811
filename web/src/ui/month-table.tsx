// A series by month, or by day, as a table: the figures that a chart draws. `chart.tsx` shows it in place of itself.
import type { ReactNode } from 'react'
import { formatMonth } from '../lib/dates'
import { stepName } from '../lib/series'
import { DataTable, type Column } from './data-table'

export interface MonthColumn<T> {
  key: string
  label: string
  value: (row: T) => number | null
  format: (value: number) => string
  /** Instead of the plain text: a badge. */
  cell?: (row: T) => ReactNode
}

export interface MonthRows<T extends { month: string }> {
  rows: readonly T[]
  columns: readonly MonthColumn<T>[]
}

/** The rows of a chart in figures, newest first. */
export function MonthTable<T extends { month: string }>({
  caption,
  rows,
  columns,
}: MonthRows<T> & { caption: string }) {
  return (
    <DataTable
      caption={caption}
      columns={tableColumns(columns, stepName(rows))}
      rows={rows.toReversed()}
      rowKey={({ month }) => month}
    />
  )
}

function tableColumns<T extends { month: string }>(
  columns: readonly MonthColumn<T>[],
  step: 'dia' | 'mês',
): Column<T>[] {
  const figures = columns.map(({ key, label, value, format, cell }): Column<T> => ({
    key,
    label,
    numeric: true,
    cell: cell ?? ((row) => figureText(value(row), format)),
  }))
  return [
    { key: 'month', label: step === 'dia' ? 'Dia' : 'Mês', narrow: true, cell: ({ month }) => formatMonth(month) },
    ...figures,
  ]
}

/** Not defined is a dash, never 0. */
export function figureText(value: number | null, format: (value: number) => string): string {
  return value === null ? '—' : format(value)
}
