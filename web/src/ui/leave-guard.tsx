// Asks before unsaved changes are lost: inside the app by a dialog, on closing the tab by the browser's own.
import { useEffect, useState, type ReactNode } from 'react'
import { useBlocker } from 'react-router'
import { AlertDialog } from './alert-dialog'

export function useLeaveGuard(unsaved: boolean): ReactNode {
  const blocker = useBlocker(({ currentLocation: from, nextLocation: to, historyAction }) => {
    // The query opens and closes sheets. The app's own links there ask by themselves; "back" and "forward" do not.
    const leavesQuery = historyAction === 'POP' && from.search !== to.search
    return unsaved && (from.pathname !== to.pathname || leavesQuery)
  })
  useEffect(() => {
    if (!unsaved) return
    const ask = (event: BeforeUnloadEvent) => {
      event.preventDefault()
      // Chrome before 119, and what is built on it, asks only then.
      event.returnValue = true
    }
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [unsaved])
  if (blocker.state !== 'blocked') return null
  return (
    <LeaveDialog
      lost="As alterações desta página serão perdidas."
      onStay={() => blocker.reset()}
      onLeave={() => blocker.proceed()}
    />
  )
}

/** The same for a page that loads it with the first change. */
export default function LeaveGuard() {
  return useLeaveGuard(true)
}

interface CloseGuard {
  close: () => void
  leaveBy: (way: () => void) => void
  guard: ReactNode
}

/** For a form in a sheet or dialog: `close`, and any other way out of it, asks first while there is something to lose. */
export function useCloseGuard(unsaved: boolean, onClose: () => void): CloseGuard {
  const leave = useLeaveGuard(unsaved)
  const { guard: question, ...ways } = useCloseQuestion(unsaved, onClose)
  return {
    ...ways,
    guard: (
      <>
        {leave}
        {question}
      </>
    ),
  }
}

/** The same, but for leaving the page. For a dialog above a form with a guard: a router has one at a time. */
export function useCloseQuestion(unsaved: boolean, onClose: () => void): CloseGuard {
  const [asked, setAsked] = useState<{ way: () => void } | null>(null)
  const leaveBy = (way: () => void) => (unsaved ? setAsked({ way }) : way())
  return {
    close: () => leaveBy(onClose),
    leaveBy,
    guard: asked && (
      <LeaveDialog
        lost="As alterações não salvas serão perdidas."
        onStay={() => setAsked(null)}
        onLeave={() => asked.way()}
      />
    ),
  }
}

interface LeaveDialogProps {
  lost: string
  onStay: () => void
  onLeave: () => void
}

function LeaveDialog({ lost, onStay, onLeave }: LeaveDialogProps) {
  return (
    <AlertDialog
      onClose={onStay}
      title="Sair sem salvar?"
      description={lost}
      safeLabel="Continuar editando"
      actLabel="Sair sem salvar"
      onAct={onLeave}
    />
  )
}
