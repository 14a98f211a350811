// Asks before unsaved changes are lost: inside the app by a dialog, on closing the tab by the browser's own.
import { useEffect, useState, type ReactNode } from 'react'
import { useBlocker } from 'react-router'
import { AlertDialog } from './alert-dialog'

export function useLeaveGuard(unsaved: boolean): ReactNode {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => unsaved && currentLocation.pathname !== nextLocation.pathname,
  )
  useEffect(() => {
    if (!unsaved) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [unsaved])
  return (
    <LeaveDialog
      lost="As alterações desta página serão perdidas."
      open={blocker.state === 'blocked'}
      onStay={() => blocker.reset?.()}
      onLeave={() => blocker.proceed?.()}
    />
  )
}

/** The same for a page that loads it with the first change. */
export default function LeaveGuard() {
  return useLeaveGuard(true)
}

/** For a form in a sheet or dialog: `close` asks first while there is something to lose. */
export function useCloseGuard(unsaved: boolean, onClose: () => void): { close: () => void; guard: ReactNode } {
  const [asking, setAsking] = useState(false)
  const leave = useLeaveGuard(unsaved)
  const question = (
    <LeaveDialog
      lost="As alterações não salvas serão perdidas."
      open={asking}
      onStay={() => setAsking(false)}
      onLeave={onClose}
    />
  )
  return {
    close: () => (unsaved ? setAsking(true) : onClose()),
    guard: (
      <>
        {leave}
        {question}
      </>
    ),
  }
}

interface LeaveProps {
  lost: string
  open: boolean
  onStay: () => void
  onLeave: () => void
}

function LeaveDialog({ lost, open, onStay, onLeave }: LeaveProps) {
  return (
    <AlertDialog
      open={open}
      onClose={onStay}
      title="Sair sem salvar?"
      description={lost}
      safeLabel="Continuar editando"
      actLabel="Sair sem salvar"
      onAct={onLeave}
    />
  )
}
