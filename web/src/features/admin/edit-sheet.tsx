// The frame of the admin area's forms: a sheet with the form's buttons at its foot. A refusal lands on its field or
// under the fields, and a changed form is not closed by accident.
import { useId, type ReactNode } from 'react'
import type { FieldValues } from 'react-hook-form'
import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import type { ApiForm } from '../../api/use-api-form'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { ErrorSummary } from '../../ui/error-summary'
import { FailureAlert } from '../../ui/failure-alert'
import { useCloseGuard } from '../../ui/leave-guard'
import { LoadNewer } from '../../ui/load-newer'
import { Sheet } from '../../ui/sheet'
import { notifySuccess } from '../../ui/toast'
import { useIsMounted } from '../../ui/use-is-mounted'

interface EditSheetProps<Input extends FieldValues, Output> {
  form: ApiForm<Input, Output>
  title: string
  submitLabel?: string
  save: (values: Output) => Promise<unknown>
  /** Begins with the record as it is by now. */
  onLoadNewer: () => void
  /** Lists and records that are stale after the save. */
  stale: readonly QueryKey[]
  savedText: string
  failedTitle: string
  /** After the save. */
  onDone: () => void
  /** What "Cancelar" does instead of closing the sheet. */
  onCancel?: () => void
  onClose: () => void
  /** Under the form's failure. */
  below?: ReactNode
  className?: string
  children: ReactNode
}

export function EditSheet<Input extends FieldValues, Output>({
  form,
  title,
  submitLabel = 'Salvar',
  save,
  onLoadNewer,
  stale,
  savedText,
  failedTitle,
  onDone,
  onCancel,
  onClose,
  below,
  className = 'gap-4',
  children,
}: EditSheetProps<Input, Output>) {
  const queries = useQueryClient()
  const id = useId()
  const isMounted = useIsMounted()
  const { close, leaveBy, guard } = useCloseGuard(form.unsaved, onClose)
  const submit = form.handleSubmit(async (values) => {
    await save(values)
    // What follows shows the saved record: opened again with the one before, the form would take it for unchanged.
    await Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })))
    notifySuccess(savedText)
    // Whoever has left the sheet may have opened another one.
    if (isMounted.current) onDone()
  })
  return (
    <Sheet
      onClose={close}
      title={title}
      busy={form.isSubmitting}
      footer={
        <>
          <Button variant="secondary" onClick={() => leaveBy(onCancel ?? onClose)} disabled={form.isSubmitting}>
            Cancelar
          </Button>
          <Button type="submit" form={id} disabled={form.wait > 0} busy={form.isSubmitting && 'Salvando...'}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={submit} className={cx('grid', className)}>
        <ErrorSummary form={form} />
        {children}
        <FailureAlert
          title={failedTitle}
          failure={form.failure}
          actions={form.failure?.code === 'CONFLICT' && <LoadNewer onLoad={onLoadNewer} />}
        />
        {below}
      </form>
      {guard}
    </Sheet>
  )
}

/** What was not touched is not sent: it may have changed meanwhile. */
export function touchedOf<T extends object>(values: T, dirtyFields: Partial<Record<keyof T, unknown>>): Partial<T> {
  const touched = Object.entries(values).filter(([name]) => dirtyFields[name as keyof T])
  return Object.fromEntries(touched) as Partial<T>
}
