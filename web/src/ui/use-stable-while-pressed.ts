// Keeps a value as it is while a pointer is pressed. Pressing something moves the focus, the field that loses it
// validates, and an error that comes or goes at once would move the pressed thing away from under the pointer: the
// click would be lost. `field.tsx` and `checkbox.tsx` therefore show an error after the release.
import { useState } from 'react'
import { Observable, useObservable } from '../lib/observable'

const pressed = new Observable(false)

/** The click comes after the release, in the same task. */
function release(): void {
  setTimeout(() => pressed.set(false))
}

if (typeof document !== 'undefined') {
  document.addEventListener('pointerdown', () => pressed.set(true), { capture: true, passive: true })
  document.addEventListener('pointerup', release, { capture: true, passive: true })
  document.addEventListener('pointercancel', release, { capture: true, passive: true })
  // The menu of the browser keeps the release to itself.
  document.addEventListener('contextmenu', release, { capture: true, passive: true })
}

/** The value, except that it does not change while a pointer is pressed. */
export function useStableWhilePressed<T extends object | string | number | boolean | bigint | null | undefined>(
  value: T,
): T {
  const isPressed = useObservable(pressed)
  const [shown, setShown] = useState<T>(value)
  if (!isPressed && shown !== value) setShown(value)
  return shown
}
