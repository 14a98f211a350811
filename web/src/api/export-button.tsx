// "Exportar CSV": fetches what a list is about and saves it as a file; a failure is told by a toast.
import { useState, type ReactNode } from 'react'
import { Button } from '../ui/button'
import { notifyError } from '../ui/toast'
import { asApiError } from './errors'

export interface ExportButtonProps {
  save: () => Promise<void>
  failedTitle: string
  disabled: boolean
  icon?: ReactNode
}

export function ExportButton({ save, failedTitle, disabled, icon }: ExportButtonProps) {
  const [busy, setBusy] = useState(false)
  const run = () => {
    setBusy(true)
    save()
      .catch((thrown: unknown) => notifyError(failedTitle, { detail: asApiError(thrown).sentence }))
      .finally(() => setBusy(false))
  }
  return (
    <Button
      variant="secondary"
      onClick={run}
      disabled={disabled}
      busy={busy && 'Exportando...'}
      className="max-sm:w-full sm:ml-auto"
    >
      {icon}
      Exportar CSV
    </Button>
  )
}
