// Gives the focus back to whatever had it when a dialog opened. The library does so only for a trigger of its own, and
// our dialogs are opened by state. An opener that went with what the dialog did (a removed row, a button without a
// purpose) leaves the focus to the heading of its card; one that stood in no card gets nothing: then whoever closed the
// dialog decides. A dialog that led to another page leaves the focus to that page's heading.
import { useRef } from 'react'
import { focusHeadingAround } from './focus-heading'

/** `then` runs when the dialog opens, before the focus moves into it. */
export function useOpener(then?: (event: Event) => void) {
  /** The opener and everything around it, inside out. */
  const path = useRef<Element[]>([])
  return {
    onOpenAutoFocus: (event: Event) => {
      path.current = pathOf(document.activeElement)
      then?.(event)
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      if (document.activeElement?.matches('h1')) return
      const [opener] = path.current
      if (opener instanceof HTMLElement) opener.focus()
      if (document.activeElement !== opener) focusHeadingAround(path.current.find((element) => element.isConnected))
    },
  }
}

function pathOf(element: Element | null): Element[] {
  return element === null ? [] : [element, ...pathOf(element.parentElement)]
}

/** For `then`: the title takes the focus, not the first control. */
export function focusTitleOf(event: Event): void {
  event.preventDefault()
  if (event.currentTarget instanceof HTMLElement) event.currentTarget.querySelector('h2')?.focus()
}

/** For `then`: what is typed next goes on after the text of the first field; by itself the library selects that text. */
export function focusEndOfField(event: Event): void {
  event.preventDefault()
  const field = event.currentTarget instanceof HTMLElement ? event.currentTarget.querySelector('input') : null
  field?.focus()
  field?.setSelectionRange(field.value.length, field.value.length)
}
