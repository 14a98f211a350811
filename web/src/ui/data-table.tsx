// A real table with a caption and sortable heads (`aria-sort`); below 640 px each row is a labelled card.
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { cx } from './cx'
import { Field } from './field'
import { MoveDownIcon, MoveUpIcon } from './icons'
import { Select } from './select'

export interface Column<T> {
  key: string
  label: string
  cell: (row: T) => ReactNode
  /** Numbers stand at the right. */
  numeric?: boolean
  /** Short by nature, as a month is: no wider than its text. */
  narrow?: boolean
  /** The head sorts by `key`. */
  sortable?: boolean
}

export interface Sort {
  key: string
  descending: boolean
}

interface DataTableProps<T> {
  caption: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  rowKey: (row: T) => string
  /** Small buttons at the end of each row. */
  renderActions?: (row: T) => ReactNode
  /** A press anywhere on a row; the keyboard reaches it as the button of its first cell. */
  onOpen?: (row: T) => void
  sort?: Sort
  onSort?: (sort: Sort) => void
}

const cellClass =
  'flex justify-between gap-4 max-sm:wrap-anywhere enlarged:flex-wrap enlarged:gap-y-0 sm:table-cell sm:px-3 sm:py-2 before:shrink-0 enlarged:before:shrink before:text-muted before:content-[attr(data-label)] sm:before:content-none'
/** Where something is scrolled under the cell. A shadow, because the borders of a table do not stick with their cell. */
const edgeClass = 'sm:group-data-wide/frame:shadow-[inset_1px_0_0_var(--color-line)]'

export function DataTable<T>({
  caption,
  columns,
  rows,
  rowKey,
  renderActions,
  onOpen,
  sort,
  onSort,
}: DataTableProps<T>) {
  return (
    <>
      {onSort && sort && <SortSelect columns={columns} sort={sort} onSort={onSort} />}
      <Frame label={caption}>
        <table className="block w-full sm:table">
          <caption className="sr-only">{caption}</caption>
          <thead className="hidden bg-sunken sm:table-header-group">
            <tr>
              {columns.map((column) => (
                <Head key={column.key} column={column} sort={sort} onSort={onSort} />
              ))}
              {renderActions && (
                <th scope="col" data-edge className={cx('sticky right-0 bg-sunken', edgeClass)}>
                  <span className="sr-only">Ações</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody className="grid gap-3 sm:table-row-group">
            {rows.map((row) => (
              <tr
                key={rowKey(row)}
                className={cx(
                  'grid gap-2 rounded-card border border-line bg-surface p-4 sm:table-row sm:h-10 sm:rounded-none sm:border-0 sm:border-t',
                  onOpen && 'relative hover:bg-sunken',
                )}
              >
                {columns.map(({ key, label, cell, numeric, narrow }, index) => {
                  // Down a column, a screen reader says whose cell it is by the first of the row.
                  const Cell = index === 0 ? 'th' : 'td'
                  return (
                    // The first cell may have several lines; its label stands beside the first of them.
                    <Cell
                      key={key}
                      scope={index === 0 ? 'row' : undefined}
                      data-label={label}
                      className={cx(
                        cellClass,
                        index === 0 ? 'items-start text-left font-normal' : 'items-center',
                        !narrow && !numeric && (index === 0 ? 'sm:min-w-48' : 'sm:min-w-28'),
                        numeric && 'tabular-nums sm:text-right',
                      )}
                    >
                      {index === 0 && onOpen ? (
                        <button
                          type="button"
                          onClick={() => onOpen(row)}
                          className="min-w-0 text-right after:absolute after:inset-0 hover:underline sm:text-left"
                        >
                          <span className="sr-only">Abrir </span>
                          {cell(row)}
                        </button>
                      ) : (
                        cell(row)
                      )}
                    </Cell>
                  )
                })}
                {renderActions && (
                  // In reach also where the table is wider than the screen: above the buttons of cells that are scrolled
                  // under it. A press beside its own buttons is one on the row.
                  <td
                    className={cx(
                      'max-sm:border-t max-sm:border-line max-sm:pt-2 sm:pointer-events-none sm:sticky sm:right-0 sm:z-2 sm:bg-inherit sm:px-2 sm:py-1',
                      edgeClass,
                    )}
                  >
                    <span className="pointer-events-auto relative z-1 flex justify-end gap-1">
                      {renderActions(row)}
                    </span>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </Frame>
    </>
  )
}

/**
 * What scrolls and has nothing in it that takes the focus takes it itself, so that the keyboard can scroll it too. What
 * gets the focus is not scrolled under the last column, which stays.
 */
function Frame({ label, children }: { label: string; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null)
  const [isWide, setIsWide] = useState(false)
  const [scrolls, setScrolls] = useState(false)
  useEffect(() => {
    const { current } = frame
    if (!current) return
    const measure = () => {
      const isWider = current.scrollWidth > current.clientWidth
      setIsWide(isWider)
      setScrolls(isWider && current.querySelector('a, button, select') === null)
      const edge = current.querySelector<HTMLElement>('[data-edge]')
      current.style.scrollPaddingRight = `${edge?.offsetWidth ?? 0}px`
    }
    const observer = new ResizeObserver(measure)
    for (const measured of [current, ...current.children]) observer.observe(measured)
    return () => observer.disconnect()
  }, [])
  return (
    <div
      ref={frame}
      data-wide={isWide || undefined}
      {...(scrolls && { role: 'region', 'aria-label': label, tabIndex: 0 })}
      className="group/frame relative sm:overflow-x-auto sm:rounded-card sm:border sm:border-line sm:bg-surface"
    >
      {children}
    </div>
  )
}

/** Cards have no heads to press. Where no column has the age of a row, the newest first is an order of its own. */
function SortSelect<T>({ columns, sort, onSort }: Required<Pick<DataTableProps<T>, 'columns' | 'sort' | 'onSort'>>) {
  const sortable = columns.filter((column) => column.sortable)
  const known = sortable.some(({ key }) => key === sort.key)
  return (
    <Field label="Ordenar por" className="sm:hidden">
      <Select
        value={known ? writeSort(sort) : ''}
        onChange={(event) => onSort(readSort(event.target.value, ''))}
        options={sortable.flatMap(({ key, label }) => [
          [key, `${label} (crescente)`],
          [`-${key}`, `${label} (decrescente)`],
        ])}
      >
        {sortable.every(({ key }) => key !== 'createdAt') && <option value="">Mais recentes</option>}
      </Select>
    </Field>
  )
}

function Head<T>({ column, sort, onSort }: Pick<DataTableProps<T>, 'sort' | 'onSort'> & { column: Column<T> }) {
  const { key, label, numeric, sortable } = column
  const sorted = sort?.key === key ? sort : undefined
  const Arrow = sorted?.descending ? MoveDownIcon : MoveUpIcon
  const look = cx(
    'px-3 py-2 text-caption font-medium whitespace-nowrap text-muted',
    numeric ? 'text-right' : 'text-left',
  )
  if (!sortable || !onSort) {
    return (
      <th scope="col" className={look}>
        {label}
      </th>
    )
  }
  return (
    <th scope="col" className={look} aria-sort={sorted ? (sorted.descending ? 'descending' : 'ascending') : undefined}>
      <button
        type="button"
        onClick={() => onSort({ key, descending: sorted !== undefined && !sorted.descending })}
        className={cx(
          '-mx-1 inline-flex min-h-6 items-center gap-1 rounded-badge px-1 hover:text-text',
          numeric && 'flex-row-reverse',
          sorted && 'text-text',
        )}
      >
        {label}
        <Arrow className={cx('size-3.5 shrink-0', !sorted && 'invisible')} />
      </button>
    </th>
  )
}

/** "-createdAt" as the URL and the API write it. */
export function readSort(text: string | null, otherwise: string): Sort {
  const given = text || otherwise
  return given.startsWith('-') ? { key: given.slice(1), descending: true } : { key: given, descending: false }
}

export function writeSort({ key, descending }: Sort): string {
  return descending ? `-${key}` : key
}
