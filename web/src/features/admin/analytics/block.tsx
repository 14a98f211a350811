// A block of the analytics page: title, its numbers as CSV, the last three months in figures, its charts.
import type { ReactNode } from 'react'
import { formatDate, formatMonth } from '../../../lib/dates'
import { csvMonth, csvOf, type CsvCell } from '../../../lib/csv'
import { stepName } from '../../../lib/series'
import { Button } from '../../../ui/button'
import { Card, CardHeader } from '../../../ui/card'
import { DownloadIcon } from '../../../ui/icons'
import { figureText, type MonthColumn, type MonthRows } from '../../../ui/month-table'
import { saveCsv } from '../../../ui/save-file'

interface BlockProps<T extends { month: string }> extends MonthRows<T> {
  title: string
  /** `receita-2026-11-21` of `receita-2026-11-21.csv`. */
  file: string
  children: ReactNode
}

export function Block<T extends { month: string }>({ title, file, rows, columns, children }: BlockProps<T>) {
  const save = () => saveCsv(`${file}.csv`, monthsCsv(rows, columns))
  return (
    <Card>
      <CardHeader
        title={title}
        actions={
          <Button
            variant="secondary"
            size="small"
            className="no-print"
            disabled={rows.length === 0}
            aria-label={`Exportar CSV: ${title}`}
            onClick={save}
          >
            {/* A phone has the room for the title or for the icon. */}
            <DownloadIcon className="max-sm:hidden" />
            CSV
          </Button>
        }
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-8">{children}</div>
    </Card>
  )
}

/** Numbers as numbers: a spreadsheet calculates with them. */
export function monthsCsv<T extends { month: string }>(rows: readonly T[], columns: readonly MonthColumn<T>[]): string {
  const [step, nameOf] = stepName(rows) === 'dia' ? ['Dia', formatDate] : ['Mês', csvMonth]
  const cells: CsvCell[][] = rows.map((row) => [nameOf(row.month), ...columns.map(({ value }) => value(row))])
  return csvOf([step, ...columns.map(({ label }) => label)], cells)
}

const SHOWN_MONTHS = 3

/** The last three months beside each other. */
export function LastMonths<T extends { month: string }>({ label, rows, columns }: MonthRows<T> & { label: string }) {
  return (
    <ul role="list" aria-label={label} className="grid gap-3 lg:grid-cols-3">
      {rows.slice(-SHOWN_MONTHS).map((row) => (
        <li key={row.month} className="grid gap-1.5 rounded-control bg-sunken p-3">
          <span className="text-label font-medium">{formatMonth(row.month)}</span>
          <dl className="grid gap-0.5">
            {columns.map(({ key, label: name, value, format }) => (
              <div key={key} className="flex flex-wrap items-baseline justify-between gap-x-3">
                <dt className="text-label text-muted">{name}</dt>
                <dd className="font-medium tabular-nums">{figureText(value(row), format)}</dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  )
}
