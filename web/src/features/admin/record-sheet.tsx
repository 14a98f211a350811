// The parts of the sheets of the admin area: titled sections, label-value pairs, ids, and the place of the edit form,
// whose code is loaded when it is opened.
import { Suspense, type ReactNode } from 'react'
import { Fact, Facts } from '../../ui/facts'
import { Sheet } from '../../ui/sheet'
import { SkeletonLines } from '../../ui/skeleton'

export function SheetSection({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
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

interface FactListProps {
  facts: readonly (readonly [name: string, value: ReactNode])[]
  none?: string
}

export function FactList({ facts, none }: FactListProps) {
  if (facts.length === 0) return <p className="text-muted">{none}</p>
  return (
    <Facts>
      {facts.map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </Facts>
  )
}

/** An id. */
export function Code({ text }: { text: string }) {
  return <span className="font-mono text-label">{text}</span>
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
