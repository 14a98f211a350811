// Returns the focus when a dialog closes. Radix does so only for its own triggers; our dialogs are opened by state.
// The focus returns to the element that opened the dialog. If that element is gone or disabled, such as a removed row,
// the heading of its card gets the focus, or else the heading of the dialog or page around it. If a dialog was opened
// from another dialog, or replaced it, the opener of that first dialog comes next. After a navigation the focus stays
// on the heading of the new page.
import { focusHeadingAround, focusPage } from './focus-heading'
import { noteDialogOpened } from './second-click'

/** An opener and everything around it, inside out: up to the dialog that it stood in, or to the page's root. */
type Path = readonly [opener: Element, ...around: Element[]]

/** For each open dialog: where it was opened, and then where the dialog around it was opened. */
const pathsOf = new WeakMap<EventTarget, readonly Path[]>()

/** What was pressed last, if it was a button or a link: Safari and Firefox on a Mac do not focus it. */
let pressed: Element | null = null

if (typeof document !== 'undefined') {
  const note = ({ target }: Event) => {
    pressed = target instanceof Element ? target.closest('a, button') : null
  }
  document.addEventListener('click', note, { capture: true, passive: true })
}

/** `then` runs when the dialog opens, before the focus moves into it. */
export function useOpener(then?: (event: Event) => void) {
  return {
    onOpenAutoFocus: (event: Event) => {
      noteDialogOpened()
      if (event.currentTarget) pathsOf.set(event.currentTarget, pathsFrom(openerNow()))
      then?.(event)
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      const paths = (event.currentTarget && pathsOf.get(event.currentTarget)) ?? []
      if (document.activeElement?.matches('h1') || handOver(paths)) return
      if (!paths.some(focusOn) && hasNoFocus()) focusPage()
    },
  }
}

function openerNow(): Element | null {
  return hasNoFocus() && pressed?.isConnected ? pressed : document.activeElement
}

function pathsFrom(opener: Element | null): readonly Path[] {
  if (opener === null || opener === document.body) return []
  const around: Element[] = []
  for (let outer = opener.parentElement; outer !== null; outer = outer.parentElement) {
    around.push(outer)
    const beyond = pathsOf.get(outer)
    if (beyond) return [[opener, ...around], ...beyond]
  }
  return [[opener, ...around]]
}

/** To a dialog that has taken the place of this one: it opened when nothing on the page had the focus any more. */
function handOver(paths: readonly Path[]): boolean {
  const dialog = document.activeElement?.closest('[role="dialog"], [role="alertdialog"]')
  if (!dialog || pathsOf.get(dialog)?.length !== 0) return false
  pathsOf.set(dialog, paths)
  return true
}

/** Whether something took the focus: the opener, or what is left around it. */
function focusOn(path: Path): boolean {
  const [opener] = path
  if (opener instanceof HTMLElement) opener.focus()
  if (document.activeElement === opener) return true
  focusHeadingAround(path.find((element) => element.isConnected))
  const outermost = path.at(-1)
  if (hasNoFocus() && outermost?.isConnected) {
    if (outermost === document.documentElement) focusPage()
    else outermost.querySelector<HTMLElement>('h2')?.focus()
  }
  return !hasNoFocus()
}

function hasNoFocus(): boolean {
  return document.activeElement === document.body
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
