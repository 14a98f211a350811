// Whether a media query holds, followed as it changes. In the markup that the build makes it does not.
import { useCallback, useSyncExternalStore } from 'react'

export const REDUCED_MOTION = '(prefers-reduced-motion: reduce)'
/** Dialogs are sheets at the bottom of the screen. */
export const PHONE = '(width < 640px)'
/** The navigation is a sheet behind a button. */
export const NO_SIDEBAR = '(width < 768px)'

export function useMedia(text: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const query = matchMedia(text)
      query.addEventListener('change', changed)
      return () => query.removeEventListener('change', changed)
    },
    [text],
  )
  return useSyncExternalStore(
    subscribe,
    () => matchMedia(text).matches,
    () => false,
  )
}
