// A row of plain counters. A number that changes while it is shown is tinted for a moment.
import { formatCount } from '../lib/decimal'
import { cx } from './cx'
import { Skeleton } from './skeleton'
import { useChanged } from './use-changed'

const grid = 'grid grid-cols-2 gap-3 sm:gap-4'
const columns: Record<number, string> = { 5: 'lg:grid-cols-5 max-lg:[&>:first-child]:col-span-2' }
const gridOf = (count: number) => cx(grid, columns[count] ?? 'lg:grid-cols-4')

/** `full`: the whole number of a shortened one, in the title. */
export type CounterSpec = [
  label: string,
  value: number,
  format?: (value: number) => string,
  full?: (value: number) => string,
]

export function Counters({ counters }: { counters: CounterSpec[] }) {
  return (
    <dl className={gridOf(counters.length)}>
      {counters.map((counter) => (
        <Counter key={counter[0]} counter={counter} />
      ))}
    </dl>
  )
}

function Counter({ counter: [label, value, format, full] }: { counter: CounterSpec }) {
  const changed = useChanged(value)
  return (
    <div
      data-live={changed ? 'changed' : undefined}
      className="flex flex-col-reverse justify-end gap-1 rounded-card border border-line bg-surface p-4"
    >
      <dt className="text-label text-muted">{label}</dt>
      <dd
        className={cx('font-bold tabular-nums', format ? 'text-h3/[1.875rem] min-[420px]:text-h2' : 'text-h2')}
        title={full?.(value)}
      >
        {format ? format(value) : formatCount(value)}
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
