// The one polite live region. Messages that come closer together than 5 s are merged into one.
import { Observable, useObservable } from '../lib/observable'

const INTERVAL_MS = 5_000

const spoken = new Observable('')
let waiting: { message: string; about: string }[] = []
/** By a clock that nobody sets. */
let lastAt = Number.NEGATIVE_INFINITY
let timer: ReturnType<typeof setTimeout> | undefined

/** Takes the place of what still waits and is `about` the same: of three pages in a row the last one is said. */
export function announce(message: string, about = message): void {
  waiting = [...waiting.filter((other) => other.about !== about), { message, about }]
  timer ??= setTimeout(speak, Math.max(0, lastAt + INTERVAL_MS - performance.now()))
}

function speak(): void {
  timer = undefined
  // What is said twice is read twice only when the text differs.
  const next = waiting.map(({ message }) => message).join('. ')
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
