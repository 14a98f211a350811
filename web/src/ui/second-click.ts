// A dialog may come to lie under the pointer that opened it. The second click of a double click would then press "Pagar"
// where "Confirmar Mudança" was, close the dialog as a click beside it, or take the focus out of its first field. For a
// moment after the opening such a click does nothing.

/** How long systems wait for the second click of a double click. */
const DOUBLE_CLICK_MS = 500
let openedAt = Number.NEGATIVE_INFINITY
let isTouch = false

if (typeof document !== 'undefined') {
  const notePointer = (event: PointerEvent) => {
    isTouch = event.pointerType === 'touch'
  }
  document.addEventListener('pointerdown', notePointer, { capture: true, passive: true })
  for (const name of ['mousedown', 'click'] as const) document.addEventListener(name, ignoreSecond, true)
}

function ignoreSecond(event: MouseEvent): void {
  // Every browser counts the clicks of a mouse, but not every one the taps of a finger. A key counts as none.
  const mayBeSecond = event.detail > 1 || (event.detail === 1 && isTouch)
  if (!mayBeSecond || !isEarly(event)) return
  event.preventDefault()
  event.stopPropagation()
}

function isEarly(event: Event): boolean {
  return event.timeStamp - openedAt < DOUBLE_CLICK_MS
}

export function noteDialogOpened(): void {
  openedAt = performance.now()
}

/** For `onInteractOutside` of a dialog: it stays open. A toast above it is closed alone. */
export function ignoreOutside(event: CustomEvent<{ originalEvent: Event }>): void {
  const isToast = event.target instanceof Element && event.target.closest('[data-sonner-toaster]')
  if (isToast || isEarly(event.detail.originalEvent)) event.preventDefault()
}
