// Where the focus goes when the element that has it leaves the page by itself: its row is gone from the list, or what
// its button does can be done no more.
import { useLayoutEffect, type RefObject } from 'react'

/** `pass` is called before the element leaves with the focus in it. It stays the same function. */
export function usePassFocus(element: RefObject<HTMLElement | null>, pass: (leaving: HTMLElement) => void): void {
  useLayoutEffect(() => {
    const { current } = element
    return () => {
      if (current?.contains(document.activeElement)) pass(current)
    }
  }, [element, pass])
}
