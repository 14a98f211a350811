// Shown when a screen threw: in its place where the shell around it still stands, with the navigation and an open
// payment, else alone. Code that a server of this page's own version does not bring ends here too.
import { useEffect } from 'react'
import { useRouteError } from 'react-router'
import { latestRequestId } from '../api/client'
import { isFailure } from '../lib/failure'
import { Brand } from '../ui/brand'
import { Button } from '../ui/button'
import { FailureDetails } from '../ui/failure-details'
import { focusPage } from '../ui/focus-heading'
import { Page } from '../ui/page'

export function Crash() {
  return (
    <main className="grid min-h-dvh place-content-center justify-items-center gap-6 p-6 text-center">
      <Brand size={36} />
      <PageCrash />
    </main>
  )
}

export function PageCrash() {
  const error = useRouteError()
  // What had the focus is gone, and nobody has heard why.
  useEffect(focusPage, [])
  return (
    <Page title="Algo deu errado">
      <div className="grid justify-items-center gap-6 text-center">
        <p className="max-w-[48ch] text-balance text-muted">
          A página parou por um erro nosso. Recarregue para continuar de onde estava.
        </p>
        <Button onClick={() => location.reload()}>Recarregar</Button>
        <FailureDetails code={codeOf(error)} requestId={isFailure(error) ? error.requestId : latestRequestId()} />
      </div>
    </Page>
  )
}

function codeOf(error: unknown): string {
  if (isFailure(error)) return error.code
  return error instanceof Error ? error.message : 'INTERNAL_ERROR'
}
