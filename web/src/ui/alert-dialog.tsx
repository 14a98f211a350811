// A question before an irreversible act: focus on the safe button, nothing closes while the act runs, and why the act
// failed is said in the dialog.
import type { ReactNode } from 'react'
import { AlertDialog as Radix } from 'radix-ui'
import type { Failure } from '../lib/failure'
import { Button } from './button'
import { cx } from './cx'
import { scrimClass } from './dialog'
import { FailureAlert, useRetrySeconds } from './failure-alert'
import { useOpener } from './use-opener'

export interface AlertDialogProps {
  onClose: () => void
  title: ReactNode
  description: ReactNode
  safeLabel: string
  actLabel: string
  onAct: () => void
  /** The busy text while the act runs. */
  busy?: string | false
  actDisabled?: boolean
  /** Why the act failed. A rate limit disables the act until it may be repeated. */
  failure?: Failure | null
  failureTitle?: string
  /** The way on after this failure. */
  failureActions?: ReactNode
  /** `secondary`: the safe button is the one to press. */
  actVariant?: 'danger' | 'primary' | 'secondary'
  children?: ReactNode
}

export function AlertDialog({
  onClose,
  title,
  description,
  safeLabel,
  actLabel,
  onAct,
  busy,
  actDisabled,
  actVariant = 'danger',
  failure,
  failureTitle,
  failureActions,
  children,
}: AlertDialogProps) {
  const wait = useRetrySeconds(failure)
  const focus = useOpener()
  const urgesSafety = actVariant === 'secondary'
  return (
    <Radix.Root open onOpenChange={(next) => !next && !busy && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={scrimClass} />
        <Radix.Content
          {...focus}
          onEscapeKeyDown={(event) => busy && event.preventDefault()}
          className="fixed inset-x-4 inset-y-0 z-50 m-auto grid h-fit max-h-[88dvh] max-w-[440px] gap-4 overflow-y-auto rounded-dialog bg-surface p-6 shadow-dialog animate-enter outline-none dark:ring-1 dark:ring-line"
        >
          <Radix.Title className="text-h3 font-semibold wrap-anywhere">{title}</Radix.Title>
          <Radix.Description asChild>
            <div className="text-pretty wrap-anywhere text-muted">{description}</div>
          </Radix.Description>
          {children}
          <FailureAlert title={failureTitle} failure={failure} actions={failureActions} />
          <div
            className={cx(
              'mt-2 flex gap-2',
              urgesSafety ? 'flex-col sm:flex-row-reverse' : 'flex-col-reverse sm:flex-row sm:justify-end',
            )}
          >
            <Radix.Cancel asChild>
              <Button variant={urgesSafety ? 'primary' : 'secondary'} disabled={Boolean(busy)}>
                {safeLabel}
              </Button>
            </Radix.Cancel>
            <Button variant={actVariant} onClick={onAct} busy={busy || undefined} disabled={actDisabled || wait > 0}>
              {actLabel}
            </Button>
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
