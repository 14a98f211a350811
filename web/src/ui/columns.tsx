// Columns and cells that tables have in common.
import type { ReactNode } from 'react'
import { formatDateTime } from '../lib/dates'
import { cx } from './cx'
import type { Column } from './data-table'

/** "Data": the instant of a row. */
export function dateColumn<T>(instantOf: (row: T) => string, format = formatDateTime): Column<T> {
  return {
    key: 'at',
    label: 'Data',
    narrow: true,
    cell: (row) => (
      <time dateTime={instantOf(row)} className="whitespace-nowrap tabular-nums">
        {format(instantOf(row))}
      </time>
    ),
  }
}

interface TwoLinesProps {
  children: ReactNode
  /** Below it in small. */
  note: ReactNode
  /** Of both lines. */
  className?: string
}

/** A cell that says what a row is about, and what else is known of it. */
export function TwoLines({ children, note, className }: TwoLinesProps) {
  return (
    <span className="grid min-w-0 gap-0.5 max-sm:justify-items-end max-sm:text-right">
      <span className={className}>{children}</span>
      {note && <span className={cx('text-label text-muted', className)}>{note}</span>}
    </span>
  )
}
