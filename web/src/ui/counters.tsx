// A row of plain counters. A number that changes while it is shown is tinted for a moment.
import { useEffect, useRef, useState } from 'react'
import { Skeleton } from './skeleton'

const grid = 'grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4'
const TINT_MS = 1_500

export type CounterSpec = [label: string, value: number, format?: (value: number) => string]

export function Counters({ counters }: { counters: CounterSpec[] }) {
  return (
    <dl className={grid}>
      {counters.map(([label, value, format]) => (
        <Counter key={label} label={label} value={value} format={format} />
      ))}
    </dl>
  )
}

function Counter({ label, value, format }: { label: string; value: number; format?: (value: number) => string }) {
  const changed = useChanged(value)
  return (
    <div data-live={changed ? 'changed' : undefined} className="flex flex-col-reverse justify-end gap-1 rounded-card border border-line bg-surface p-4">
      <dt className="text-label text-muted">{label}</dt>
      <dd className="text-h2 font-bold tabular-nums">{format ? format(value) : value.toLocaleString('pt-BR')}</dd>
    </div>
  )
}

/** True for a moment after the value has changed on the screen. */
export function useChanged(value: number | null): boolean {
  const previous = useRef(value)
  const [changed, setChanged] = useState(false)
  useEffect(() => {
    if (previous.current === value) return
    previous.current = value
    const start = setTimeout(() => setChanged(true))
    const end = setTimeout(() => setChanged(false), TINT_MS)
    return () => {
      clearTimeout(start)
      clearTimeout(end)
    }
  }, [value])
  return changed
}

export function CountersSkeleton() {
  return (
    <div className={grid}>
      <Skeleton className="h-22" />
      <Skeleton className="h-22" />
      <Skeleton className="h-22" />
      <Skeleton className="h-22" />
    </div>
  )
}
