// The parts of the sheet that shows one person or one company: titled sections, label-value pairs, and the place of the
// edit form, whose code is loaded when it is opened.
import { Suspense, type ReactNode } from 'react'
import { Sheet } from '../../ui/sheet'
import { SkeletonLines } from '../../ui/skeleton'

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

interface FactsProps {
  facts: readonly (readonly [label: string, value: ReactNode])[]
  none?: string
}

export function Facts({ facts, none }: FactsProps) {
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

interface LazyFormProps {
  title: string
  onClose: () => void
  children: ReactNode
}

/** The sheet stays open while the form's code is loaded: a closed sheet would hand the focus back to the list. */
export function LazyForm({ title, onClose, children }: LazyFormProps) {
  const coming = (
    <Sheet onClose={onClose} title={title}>
      <SkeletonLines count={6} />
    </Sheet>
  )
  return <Suspense fallback={coming}>{children}</Suspense>
}
