// Whether a pointer is pressed. Pressing something moves the focus, the field that loses it validates, and an
// error that appears at once would push the pressed thing away from under the pointer: the click would be lost.
// What appears on blur therefore waits for the release.
import { useSyncExternalStore } from 'react'

let pressed = false
const listeners = new Set<() => void>()

function set(next: boolean): void {
  if (pressed === next) return
  pressed = next
  for (const listener of listeners) listener()
}

/** The click comes after the release, in the same task. */
function release(): void {
  setTimeout(() => set(false))
}

if (typeof document !== 'undefined') {
  document.addEventListener('pointerdown', () => set(true), { capture: true, passive: true })
  document.addEventListener('pointerup', release, { capture: true, passive: true })
  document.addEventListener('pointercancel', release, { capture: true, passive: true })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function usePressed(): boolean {
  return useSyncExternalStore(subscribe, () => pressed)
}
