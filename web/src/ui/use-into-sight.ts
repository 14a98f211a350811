// Brings what appears into sight: it may stand far from the button that was pressed.
import { useEffect, useRef, type RefObject } from 'react'

/** For the ref of what appears. Each new `cause` scrolls to it, unless it is seen already. */
export function useIntoSight<T extends Element>(cause: unknown): RefObject<T | null> {
  const place = useRef<T>(null)
  useEffect(() => {
    if (!cause) return
    // A dialog that closes at the same time gives the focus back, which scrolls to what opened it.
    const timer = setTimeout(() => place.current?.scrollIntoView({ block: 'nearest' }))
    return () => clearTimeout(timer)
  }, [cause])
  return place
}
