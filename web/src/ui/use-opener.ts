// Gives the focus back to whatever had it when a dialog opened. The library does so only for a trigger of its own, and
// our dialogs are opened by state. An opener that is gone gets nothing: then whoever closed the dialog decides.
import { useRef } from 'react'

interface OpenerHandlers {
  onOpenAutoFocus: (event: Event) => void
  onCloseAutoFocus: (event: Event) => void
}

/** `then` runs when the dialog opens, before the focus moves into it. */
export function useOpener(then?: (event: Event) => void): OpenerHandlers {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: (event) => {
      opener.current = document.activeElement
      then?.(event)
    },
    onCloseAutoFocus: (event) => {
      event.preventDefault()
      if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus()
    },
  }
}
