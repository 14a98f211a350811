// Around every route: scroll position, focus on the new page's h1, toasts, the live region, and the dialog that asks
// for the second factor again.
import { Suspense, useEffect, useRef, useState } from 'react'
import { Outlet, ScrollRestoration, useLocation } from 'react-router'
import { lazyPart } from '../api/lazy-part'
import { answerStepUp, useIsStepUpAsked } from '../auth/step-up'
import { Announcer } from '../ui/announcer'
import { useToasts } from '../ui/toast'
import { pageOf } from '../lib/paths'
import { focusNewPage } from './new-page-focus'

/** The bell lists what it cannot show yet. */
const Toaster = lazyPart(
  () => import('../ui/toaster'),
  () => null,
)
const StepUpDialog = lazyPart(
  () => import('../features/auth/step-up-dialog'),
  ({ onAnswer }) => <Unasked onAnswer={onAnswer} />,
)

export function Root() {
  useNewPageFocus()
  return (
    <>
      <Outlet />
      <ScrollRestoration getKey={scrollKey} />
      <Announcer />
      <StepUp />
      <Toasts />
    </>
  )
}

/** The first page of every load has the same key: without the load in it, one document would start where another was. */
function scrollKey({ key }: { key: string }): string {
  return key === 'default' ? `${key} ${performance.timeOrigin}` : key
}

/** The chunk of the toasts is loaded with the first one and stays. */
function Toasts() {
  const needed = useToasts().toasts.length > 0
  const [wanted, setWanted] = useState(false)
  if (needed && !wanted) setWanted(true)
  if (!wanted) return null
  return (
    <Suspense fallback={null}>
      <Toaster />
    </Suspense>
  )
}

/** Without the dialog's chunk nothing can be shown: the command that waits for it hears so. */
function Unasked({ onAnswer }: { onAnswer: (shown: boolean) => void }) {
  useEffect(() => onAnswer(false), [onAnswer])
  return null
}

/** The question for the second factor, while a command waits for it. */
function StepUp() {
  const asked = useIsStepUpAsked()
  return <Suspense fallback={null}>{asked && <StepUpDialog onAnswer={answerStepUp} />}</Suspense>
}

/** A change of the page is announced by moving the focus. The first page keeps the browser's own start. */
function useNewPageFocus(): void {
  const page = pageOf(useLocation().pathname)
  const previous = useRef(page)
  useEffect(() => {
    if (previous.current === page) return
    previous.current = page
    return focusNewPage()
  }, [page])
}
