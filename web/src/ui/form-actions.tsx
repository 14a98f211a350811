// The buttons under a form: leave it, and send it. A rate limit (`wait`, in seconds) holds the sending back.
import { Button } from './button'

interface FormActionsProps {
  form: { isSubmitting: boolean; wait: number }
  cancelLabel?: string
  onCancel: () => void
  submitLabel: string
  busyLabel: string
}

export function FormActions({
  form: { isSubmitting, wait },
  cancelLabel = 'Cancelar',
  onCancel,
  submitLabel,
  busyLabel,
}: FormActionsProps) {
  return (
    <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
      <Button variant="secondary" onClick={onCancel} disabled={isSubmitting}>
        {cancelLabel}
      </Button>
      <Button type="submit" disabled={wait > 0} busy={isSubmitting && busyLabel}>
        {submitLabel}
      </Button>
    </div>
  )
}
