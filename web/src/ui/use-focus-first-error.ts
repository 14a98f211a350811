// Where a refused form leads: to its first wrong field.
import { useEffect, useRef, type RefObject } from 'react'
import { announce } from './announcer'

/** For the ref of the form, or of what stands around its fields. Each new `refusal` leads to the first wrong one. */
export function useFocusFirstError<T extends Element>(refusal: unknown): RefObject<T | null> {
  const form = useRef<T>(null)
  useEffect(() => {
    if (!refusal) return
    // An error waits for the release of the pointer that sent the form.
    const timer = setTimeout(() => leadTo(form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')))
    return () => clearTimeout(timer)
  }, [refusal])
  return form
}

/** A field that has the focus already is not read again: its error is announced, in the place of an older one. */
function leadTo(field: HTMLElement | null | undefined): void {
  if (!field || field !== document.activeElement) return field?.focus()
  const error = document.getElementById(`${field.id}-error`)?.textContent
  if (error) announce(error, field.id)
}
