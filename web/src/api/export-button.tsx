// "Exportar CSV": fetches what a list is about and saves it as a file; a failure is told by a toast. A rate limit holds
// the next try back.
import { useMutation } from '@tanstack/react-query'
import { Button } from '../ui/button'
import { useRetrySeconds } from '../ui/failure-alert'
import { DownloadIcon } from '../ui/icons'
import { notifyError } from '../ui/toast'
import { asApiError } from './errors'

interface ExportButtonProps {
  save: () => Promise<void>
  failedTitle: string
  disabled: boolean
}

export function ExportButton({ save, failedTitle, disabled }: ExportButtonProps) {
  const exporting = useMutation({
    mutationFn: save,
    onError: (error) => notifyError(failedTitle, { detail: asApiError(error).sentence }),
  })
  const wait = useRetrySeconds(exporting.error && asApiError(exporting.error))
  return (
    <Button
      variant="secondary"
      onClick={() => exporting.mutate()}
      disabled={disabled || wait > 0}
      busy={exporting.isPending && 'Exportando...'}
      className="max-sm:w-full sm:ml-auto"
    >
      <DownloadIcon />
      Exportar CSV
    </Button>
  )
}
