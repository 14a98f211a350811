// "Exportar CSV": fetches what a list is about and saves it as a file; a failure is told by a toast. A rate limit holds
// the next try back.
import { useState, type ReactNode } from 'react'
import { Button } from '../ui/button'
import { useRetrySeconds } from '../ui/failure-alert'
import { notifyError } from '../ui/toast'
import { asApiError, type ApiError } from './errors'

export interface ExportButtonProps {
  save: () => Promise<void>
  failedTitle: string
  disabled: boolean
  icon?: ReactNode
}

export function ExportButton({ save, failedTitle, disabled, icon }: ExportButtonProps) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ApiError | null>(null)
  const wait = useRetrySeconds(failure)
  const run = () => {
    setBusy(true)
    setFailure(null)
    save()
      .catch((thrown: unknown) => {
        const error = asApiError(thrown)
        setFailure(error)
        notifyError(failedTitle, { detail: error.sentence })
      })
      .finally(() => setBusy(false))
  }
  return (
    <Button
      variant="secondary"
      onClick={run}
      disabled={disabled || wait > 0}
      busy={busy && 'Exportando...'}
      className="max-sm:w-full sm:ml-auto"
    >
      {icon}
      Exportar CSV
    </Button>
  )
}
