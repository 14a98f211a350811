// Around every route: scroll position, focus on the new page's h1, toasts and the live region.
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Outlet, ScrollRestoration, useLocation } from 'react-router'
import { Announcer } from '../ui/announcer'
import { useNotifications } from '../ui/toast'
import { pageOf } from '../lib/paths'
import { StepUpHost } from './step-up-host'

const Toaster = lazy(() => import('../ui/toaster').then((module) => ({ default: module.Toaster })))

export function Root() {
  useHeadingFocus()
  return (
    <>
      <Outlet />
      <ScrollRestoration />
      <Announcer />
      <StepUpHost />
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

/** A change of the page is announced by moving the focus to the h1; the first page keeps the browser's own start. */
function useHeadingFocus(): void {
  const page = pageOf(useLocation().pathname)
  const previous = useRef(page)
  useEffect(() => {
    if (previous.current === page) return
    previous.current = page
    if (focusHeading()) return
    // The shell is new too: the page's h1 comes with its second rendering.
    const observer = new MutationObserver(() => {
      if (document.activeElement !== document.body || focusHeading()) observer.disconnect()
    })
    observer.observe(document.body, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [page])
}

function focusHeading(): boolean {
  const heading = document.querySelector<HTMLElement>('h1')
  heading?.focus({ preventScroll: true })
  return heading !== null
}
