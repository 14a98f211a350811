// The focus of a page that has just taken the place of another one.

const OPEN_PANEL = ':is([role="dialog"], [role="menu"])[data-state="open"]'

/**
 * Moves the focus to the h1, or to the field that the page is for, at once or when it comes. A panel that the person
 * opened while the page's code was coming keeps the focus: without it the panel would close. Returns what ends the wait.
 */
export function focusNewPage(): (() => void) | undefined {
  if (focusStart()) return undefined
  // The shell is new too: the page's h1 comes with its second rendering.
  const observer = new MutationObserver(() => {
    if (document.activeElement !== document.body || focusStart()) observer.disconnect()
  })
  observer.observe(document.body, { childList: true, subtree: true })
  return () => observer.disconnect()
}

/** Whether the focus is where it shall be. */
function focusStart(): boolean {
  if (document.activeElement?.closest(OPEN_PANEL)) return true
  const start = document.querySelector<HTMLElement>('[data-focus-first]') ?? document.querySelector<HTMLElement>('h1')
  start?.focus({ preventScroll: true })
  return start !== null
}
