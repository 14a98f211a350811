// The frame of the admin area's edit forms: what was touched is sent, a refusal lands on its field or above the
// buttons, and a changed form is not closed by accident.
import { useId, useState, type ReactNode } from 'react'
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { asApiError, type ApiError } from '../../api/errors'
import { placeErrors } from '../../api/form-errors'
import { Button } from '../../ui/button'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { useCloseGuard } from '../../ui/leave-guard'
import { Sheet } from '../../ui/sheet'
import { notifySuccess } from '../../ui/toast'

interface EditSheetProps<T extends FieldValues> {
  form: UseFormReturn<T>
  title: string
  /** The fields that the call takes. */
  names: readonly Path<T>[]
  /** Sentences of this form's own, by `field.CODE`. */
  wording?: Record<string, string>
  save: (changed: Partial<T>) => Promise<unknown>
  /** Lists that are stale after the save. */
  stale: QueryKey
  savedText: string
  failedTitle: string
  onDone: () => void
  onClose: () => void
  children: ReactNode
}

export function EditSheet<T extends FieldValues>({
  form,
  title,
  names,
  wording,
  save,
  stale,
  savedText,
  failedTitle,
  onDone,
  onClose,
  children,
}: EditSheetProps<T>) {
  const queries = useQueryClient()
  const id = useId()
  const { handleSubmit, setError, formState } = form
  const { isSubmitting, isDirty, dirtyFields } = formState
  const [failure, setFailure] = useState<ApiError | null>(null)
  const [saved, setSaved] = useState(false)
  const wait = useRetrySeconds(failure)
  const { close, guard } = useCloseGuard(isDirty && !saved, onClose)

  const submit = handleSubmit(async (values) => {
    setFailure(null)
    try {
      // What was not touched is not sent: it may have changed meanwhile.
      const touched: Record<string, unknown> = dirtyFields
      const changed: Partial<T> = {}
      for (const name of names) if (touched[name]) changed[name] = values[name]
      await save(changed)
    } catch (error) {
      const refusal = asApiError(error)
      setFailure(placeErrors(refusal, setError, { names, ...(wording && { wording }) }) ? null : refusal)
      return
    }
    setSaved(true)
    void queries.invalidateQueries({ queryKey: stale })
    notifySuccess(savedText)
    onDone()
  })

  return (
    <Sheet
      open
      onClose={close}
      title={title}
      footer={
        <>
          <Button variant="secondary" onClick={onDone} disabled={isSubmitting}>
            Cancelar
          </Button>
          <Button type="submit" form={id} disabled={wait > 0} busy={isSubmitting && 'Salvando...'}>
            Salvar
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={(event) => void submit(event)} className="grid gap-4">
        {children}
        <FailureAlert title={failedTitle} failure={failure} />
      </form>
      {guard}
    </Sheet>
  )
}
