// Where the focus goes when what had it is about to vanish, or has: to the heading of the card around it, so that
// neither the keyboard nor a screen reader starts again at the top of the page.

/** Focuses the heading of the card that the element stands in; outside a card nothing happens. */
export function focusHeadingAround(element: Element | null | undefined): void {
  element?.closest('section')?.querySelector<HTMLElement>('h2')?.focus()
}

/**
 * For a button that goes with what it begins: the heading of its card, otherwise the title of its dialog, otherwise that
 * of the page. A panel without a title keeps the focus itself: elsewhere it would close.
 */
export function leaveToHeading(element: Element): void {
  const before = document.activeElement
  focusHeadingAround(element)
  if (document.activeElement !== before) return
  const panel = element.closest<HTMLElement>('[role="dialog"]')
  if (panel) (panel.querySelector<HTMLElement>('h2') ?? panel).focus()
  else focusPage()
}

export function focusPage(): void {
  document.querySelector<HTMLElement>('h1')?.focus()
}
