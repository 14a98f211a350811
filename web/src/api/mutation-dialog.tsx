// A question before a call that changes something: the act's button sends the call, and the dialog says that it runs
// and why it failed. A rate limit holds the next try back.
import type { ReactNode, SubmitEvent } from 'react'
import { useMutation } from '@tanstack/react-query'
import { AlertDialog, type AlertDialogProps } from '../ui/alert-dialog'
import { useRetrySeconds } from '../ui/failure-alert'
import { asApiError, type ApiError } from './errors'

type Own = 'safeLabel' | 'busy' | 'onAct' | 'failure' | 'failureActions'

interface MutationDialogProps extends Omit<AlertDialogProps, Own> {
  mutation: { mutate: () => void; isPending: boolean; error: Error | null }
  busyLabel: string
  safeLabel?: string
  /** The way on after a failure, by its code and what the server said beside it. */
  renderFailureActions?: (code: string, fields: ApiError['fields']) => ReactNode
}

/** `children` are the fields to fill in first: Enter in one of them acts. */
export function MutationDialog({
  mutation: { mutate, isPending, error },
  busyLabel,
  safeLabel = 'Cancelar',
  renderFailureActions,
  children,
  ...rest
}: MutationDialogProps) {
  const failure = error && asApiError(error)
  const wait = useRetrySeconds(failure)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!rest.actDisabled && wait === 0 && !isPending) mutate()
  }
  return (
    <AlertDialog
      safeLabel={safeLabel}
      busy={isPending && busyLabel}
      onAct={() => mutate()}
      failure={failure}
      failureActions={failure && renderFailureActions?.(failure.code, failure.fields)}
      {...rest}
    >
      {children && (
        <form noValidate onSubmit={submit}>
          {children}
        </form>
      )}
    </AlertDialog>
  )
}

interface ActDialogProps extends Omit<MutationDialogProps, 'mutation'> {
  act: () => Promise<unknown>
}

/**
 * The question whose dialog closes when the act succeeded. What follows from the call belongs into `act`: a page that
 * is gone by then took its observers with it.
 */
export function ActDialog({ act, ...rest }: ActDialogProps) {
  const mutation = useMutation({ mutationFn: act, onSuccess: rest.onClose })
  return <MutationDialog mutation={mutation} {...rest} />
}
