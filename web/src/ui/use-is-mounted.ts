// Whether the calling component is still on the screen, for what goes on after an answer: whoever left wants no more
// of it.
import { useEffect, useRef, type RefObject } from 'react'

export function useIsMounted(): RefObject<boolean> {
  const isMounted = useRef(false)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  return isMounted
}
