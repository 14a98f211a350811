// Names and values that are only read: side by side, stacked on phones.
import type { ReactNode } from 'react'

export function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid gap-3">{children}</dl>
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-4 sm:grid-cols-[minmax(7rem,12rem)_minmax(0,2fr)]">
      <dt className="text-muted">{name}</dt>
      <dd className="wrap-anywhere whitespace-pre-line tabular-nums">{children}</dd>
    </div>
  )
}
