// Around every route: scroll position, focus on the new page's h1, toasts and the live region.
import { useEffect, useRef } from 'react'
import { Outlet, ScrollRestoration, useLocation } from 'react-router'
import { Announcer } from '../ui/announcer'
import { Toaster } from '../ui/toast'

export function Root() {
  useHeadingFocus()
  return (
    <>
      <Outlet />
      <ScrollRestoration />
      <Announcer />
      <Toaster />
    </>
  )
}

/** A route change is announced by moving the focus to the h1; the first page keeps the browser's own start. */
function useHeadingFocus(): void {
  const { pathname } = useLocation()
  const previous = useRef(pathname)
  useEffect(() => {
    if (previous.current === pathname) return
    previous.current = pathname
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
  }, [pathname])
}
