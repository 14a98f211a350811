// The one polite live region. Messages that come closer together than 5 s are merged into one.
import { Observable, useObservable } from '../lib/observable'

const INTERVAL_MS = 5_000

const spoken = new Observable('')
let waiting: string[] = []
/** By a clock that nobody sets. */
let lastAt = Number.NEGATIVE_INFINITY
let timer: ReturnType<typeof setTimeout> | undefined

export function announce(message: string): void {
  if (!waiting.includes(message)) waiting.push(message)
  timer ??= setTimeout(speak, Math.max(0, lastAt + INTERVAL_MS - performance.now()))
}

function speak(): void {
  timer = undefined
  // What is said twice is read twice only when the text differs.
  const next = waiting.join('. ')
  spoken.set(next === spoken.get() ? `${next}\u00a0` : next)
  waiting = []
  lastAt = performance.now()
}

export function Announcer() {
  return (
    <output aria-live="polite" className="sr-only">
      {useObservable(spoken)}
    </output>
  )
}
