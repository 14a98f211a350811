// The parts of a record's sheet: a titled section, and label-value pairs.
import type { ReactNode } from 'react'

export function Part({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="grid gap-3">
      <header className="flex flex-wrap items-center justify-between gap-2 border-b border-line pb-2">
        <h3 className="text-body font-semibold">{title}</h3>
        {aside}
      </header>
      {children}
    </section>
  )
}

export function Facts({
  facts,
  none,
}: {
  facts: readonly (readonly [label: string, value: ReactNode])[]
  none?: string
}) {
  if (facts.length === 0) return <p className="text-muted">{none}</p>
  return (
    <dl className="grid gap-2">
      {facts.map(([label, value]) => (
        <div key={label} className="grid gap-x-4 sm:grid-cols-[160px_minmax(0,1fr)]">
          <dt className="text-muted">{label}</dt>
          <dd className="wrap-anywhere tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
