// When an element first comes near the screen, and how wide it is then. What is slow to draw waits for that.
import { startTransition, useEffect, useState, type RefObject } from 'react'

/** How far below the screen an element may be, so that a reader who scrolls finds it drawn. */
const NEAR = '200px'

/** In pixels; null until the element has been near the screen. */
export function useSeenWidth(target: RefObject<HTMLElement | null>): number | null {
  const [width, setWidth] = useState<number | null>(null)
  const isSeen = width !== null
  useEffect(() => {
    if (isSeen || target.current === null) return
    const observer = new IntersectionObserver(
      (entries) => {
        const seen = entries.find(({ isIntersecting }) => isIntersecting)
        if (seen) startTransition(() => setWidth(seen.boundingClientRect.width))
      },
      { rootMargin: NEAR },
    )
    observer.observe(target.current)
    return () => observer.disconnect()
  }, [target, isSeen])
  return width
}
