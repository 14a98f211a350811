// A row of plain counters. A number that changes while it is shown is tinted for a moment. All figures of a row have one
// size, in which the longest of them fits its card.
import type { CSSProperties } from 'react'
import { formatCount } from '../lib/decimal'
import { cx } from './cx'
import { figureWidth } from './figure-width'
import { Skeleton } from './skeleton'
import { useChanged } from './use-changed'

/** `--room`: the width that a card leaves to its figure. */
const grid =
  '@container grid gap-3 not-enlarged:grid-cols-2 sm:gap-4 not-enlarged:[--room:calc(50cqi-(--spacing(10)))] enlarged:[--room:calc(100cqi-(--spacing(9)))]'
const columns: Record<number, string> = {
  5: 'lg:grid-cols-5 lg:[--room:calc(20cqi-(--spacing(12)))] not-enlarged:max-lg:[&>:first-child]:col-span-2',
}
const gridOf = (count: number) => cx(grid, columns[count] ?? 'lg:grid-cols-4 lg:[--room:calc(25cqi-(--spacing(12)))]')

/** `full`: the whole number of a shortened one, in the title and for screen readers, which leave the title out. */
export type CounterSpec = [
  label: string,
  value: number,
  format?: (value: number) => string,
  full?: (value: number) => string,
]

export function Counters({ counters }: { counters: CounterSpec[] }) {
  const longest = Math.max(...counters.map(([, value, format = formatCount]) => figureWidth(format(value))))
  return (
    <dl className={gridOf(counters.length)} style={{ '--longest': longest } as CSSProperties}>
      {counters.map((counter) => (
        <Counter key={counter[0]} counter={counter} />
      ))}
    </dl>
  )
}

function Counter({ counter: [label, value, format = formatCount, full] }: { counter: CounterSpec }) {
  const changed = useChanged(value)
  return (
    <div
      data-live={changed ? 'changed' : undefined}
      className="flex flex-col-reverse justify-end gap-1 rounded-card border border-line bg-surface p-4"
    >
      <dt className="text-label text-muted">{label}</dt>
      <dd
        className="text-[length:clamp(var(--text-body),calc(var(--room)/var(--longest)),var(--text-h2))]/[1.875rem] font-bold tabular-nums"
        title={full?.(value)}
      >
        {full ? (
          <>
            <span aria-hidden="true">{format(value)}</span>
            <span className="sr-only">{full(value)}</span>
          </>
        ) : (
          format(value)
        )}
      </dd>
    </div>
  )
}

export function CountersSkeleton({ count = 4 }: { count?: number }) {
  return (
    <div className={gridOf(count)}>
      {Array.from({ length: count }, (_, place) => (
        <Skeleton key={place} className="h-21.5" />
      ))}
    </div>
  )
}

type CompanyStats = Record<'total' | 'active' | 'admins' | 'operators' | 'finance', number>

/** How many people a company has, and in which roles. */
export function CompanyCounters({ stats }: { stats: CompanyStats }) {
  return (
    <Counters
      counters={[
        ['Total de usuários', stats.total],
        ['Usuários ativos', stats.active],
        ['Administradores', stats.admins],
        ['Operadores', stats.operators],
        ['Financeiro', stats.finance],
      ]}
    />
  )
}
