// The one polite live region. Messages that come closer together than 5 s are merged into one.
import { useSyncExternalStore } from 'react'

const INTERVAL_MS = 5_000

let spoken = ''
let waiting: string[] = []
let lastAt = 0
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

export function announce(message: string): void {
  if (!waiting.includes(message)) waiting.push(message)
  timer ??= setTimeout(speak, Math.max(0, lastAt + INTERVAL_MS - Date.now()))
}

function speak(): void {
  timer = undefined
  // What is said twice is read twice only when the text differs.
  const next = waiting.join('. ')
  spoken = next === spoken ? `${next}\u00a0` : next
  waiting = []
  lastAt = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Announcer() {
  const text = useSyncExternalStore(subscribe, () => spoken)
  return (
    <output aria-live="polite" className="sr-only">
      {text}
    </output>
  )
}
