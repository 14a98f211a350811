// Around every route: scroll position, focus on the new page's h1, toasts and the live region.
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Outlet, ScrollRestoration, useLocation } from 'react-router'
import { Announcer } from '../ui/announcer'
import { useNotifications } from '../ui/toast'

const Toaster = lazy(() => import('../ui/toaster').then((module) => ({ default: module.Toaster })))

export function Root() {
  useHeadingFocus()
  return (
    <>
      <Outlet />
      <ScrollRestoration />
      <Announcer />
      <Toasts />
    </>
  )
}

/** The toasts' code arrives with the first notification and stays. */
function Toasts() {
  const needed = useNotifications().length > 0
  const [wanted, setWanted] = useState(false)
  if (needed && !wanted) setWanted(true)
  if (!wanted) return null
  return (
    <Suspense fallback={null}>
      <Toaster />
    </Suspense>
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
