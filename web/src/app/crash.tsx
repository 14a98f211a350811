// Shown when a screen threw. Code that a server of this page's own version does not bring ends here too.
import { useEffect } from 'react'
import { useRouteError } from 'react-router'
import { latestRequestId } from '../api/client'
import { isFailure } from '../lib/failure'
import { Brand } from '../ui/brand'
import { Button } from '../ui/button'
import { FailureDetails } from '../ui/failure-details'
import { focusPage } from '../ui/focus-heading'
import { usePageTitle } from '../ui/page'

export function Crash() {
  const error = useRouteError()
  usePageTitle('Algo deu errado')
  // What had the focus is gone, and nobody has heard why.
  useEffect(focusPage, [])
  return (
    <main className="grid min-h-dvh place-content-center justify-items-center gap-6 p-6 text-center">
      <Brand size={36} />
      <div className="grid justify-items-center gap-2">
        <h1 tabIndex={-1}>Algo deu errado</h1>
        <p className="max-w-[48ch] text-balance text-muted">
          A página parou por um erro nosso. Recarregue para continuar de onde estava.
        </p>
      </div>
      <Button onClick={() => location.reload()}>Recarregar</Button>
      <FailureDetails code={codeOf(error)} requestId={isFailure(error) ? error.requestId : latestRequestId()} />
    </main>
  )
}

function codeOf(error: unknown): string {
  if (isFailure(error)) return error.code
  return error instanceof Error ? error.message : 'INTERNAL_ERROR'
}
