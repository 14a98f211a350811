// Where the toasts lie: in the middle of the top, as high as they cover nothing that can be pressed or typed into. What
// opens below them, such as a dialog, moves them; what is scrolled does not.
import { useEffect, useState } from 'react'

/** From the edge of the screen, and from any control. */
const GAP = 6
/** What a further toast shows of itself below the first. */
const PEEK = 14

export type Box = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>

/** The distance of the toasts from the top of the screen. The first one begins at the top; the last one goes in place. */
export function useToastTop(shown: boolean): number {
  const [top, setTop] = useState(GAP)
  useEffect(() => {
    if (!shown) return
    let frame = 0
    let current = GAP
    const place = () => {
      frame = 0
      const size = sizeOfToasts()
      if (size) current = freeTop(size, controls(), innerHeight, current)
      setTop(current)
    }
    const plan = () => {
      frame ||= requestAnimationFrame(place)
    }
    const observer = new MutationObserver(plan)
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['aria-hidden', 'data-state'] })
    addEventListener('resize', plan)
    plan()
    return () => {
      cancelAnimationFrame(frame)
      observer.disconnect()
      removeEventListener('resize', plan)
    }
  }, [shown])
  return top
}

/**
 * The current place while it is free, else the highest free one. Where none is free, the one that covers the least.
 * `size` is as wide as the toasts and as high; `height` is the screen's.
 */
export function freeTop(
  size: Pick<Box, 'left' | 'right'> & { height: number },
  taken: Box[],
  height: number,
  current: number,
) {
  const beside = taken.filter(({ left, right }) => left < size.right + GAP && right > size.left - GAP)
  const covered = (top: number) =>
    beside.reduce((sum, box) => {
      const shared = Math.min(box.bottom + GAP, top + size.height) - Math.max(box.top - GAP, top)
      return sum + Math.max(0, shared)
    }, 0)
  const lowest = height - size.height - GAP
  const places = [
    current,
    GAP,
    ...beside.map(({ bottom }) => Math.ceil(bottom) + GAP).toSorted((one, other) => one - other),
  ]
  const possible = places.filter((top) => top >= GAP && top <= lowest)
  return possible.reduce((best, top) => (covered(top) < covered(best) ? top : best), possible[0] ?? GAP)
}

function sizeOfToasts() {
  const count = document.querySelectorAll('[data-sonner-toast]').length
  const front = document.querySelector<HTMLElement>('[data-sonner-toast][data-front="true"]')
  if (front === null) return null
  const { left, right } = front.getBoundingClientRect()
  return { left, right, height: front.offsetHeight + PEEK * (Math.min(count, 3) - 1) }
}

/** Everything on the screen that answers to a press, but for the toasts and for what an open dialog has locked. */
function controls(): Box[] {
  const boxes: Box[] = []
  for (const element of document.querySelectorAll(
    'a[href], button, input, select, textarea, summary, [role^="menuitem"]',
  )) {
    if (element.closest('[aria-hidden="true"], [data-sonner-toaster]')) continue
    if (element.checkVisibility?.() === false) continue
    const box = element.getBoundingClientRect()
    // What only a screen reader sees is a pixel.
    if (box.width > 1 && box.bottom > 0 && box.top < innerHeight) boxes.push(box)
  }
  return boxes
}
