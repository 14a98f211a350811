// Where the focus goes when what had it is about to vanish, or has: to the heading of the card around it, so that
// neither the keyboard nor a screen reader starts again at the top of the page.

/** Focuses the heading of the card that the element stands in; outside a card nothing happens. */
export function focusHeadingAround(element: Element | null | undefined): void {
  element?.closest('section')?.querySelector<HTMLElement>('h2')?.focus()
}
