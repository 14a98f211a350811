// Asks before unsaved changes are lost: inside the app by a dialog, on closing the tab by the browser's own.
import { useEffect, type ReactNode } from 'react'
import { useBlocker } from 'react-router'
import { AlertDialog } from './alert-dialog'

export function useLeaveGuard(unsaved: boolean): ReactNode {
  const blocker = useBlocker(({ currentLocation, nextLocation }) => unsaved && currentLocation.pathname !== nextLocation.pathname)
  useEffect(() => {
    if (!unsaved) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [unsaved])
  return (
    <AlertDialog
      open={blocker.state === 'blocked'}
      onClose={() => blocker.reset?.()}
      title="Sair sem salvar?"
      description="As alterações desta página serão perdidas."
      safeLabel="Continuar editando"
      actLabel="Sair sem salvar"
      onAct={() => blocker.proceed?.()}
    />
  )
}
