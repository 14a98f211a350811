// Name and description of a company, for the create page and the edit dialog.
import { useState } from 'react'
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm, useWatch } from 'react-hook-form'
import { z } from '../../lib/zod'
import type { CompanyForm } from '../../api/companies'
import { fieldSentenceOf, type ApiError } from '../../api/errors'
import { placeErrors } from '../../api/form-errors'
import { Button } from '../../ui/button'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { Input, TextArea } from '../../ui/input'
import { useLeaveGuard } from '../../ui/leave-guard'

const NAME_MAX = 100
const DESCRIPTION_MAX = 500
const NAME_REQUIRED = 'Nome da empresa é obrigatório'

const schema = z.object({
  companyName: z
    .string()
    .trim()
    .min(1, NAME_REQUIRED)
    .pipe(z.string().min(2, fieldSentenceOf('NAME_TOO_SHORT')).max(NAME_MAX, fieldSentenceOf('TOO_LONG'))),
  companyDescription: z.string().trim().max(DESCRIPTION_MAX, fieldSentenceOf('TOO_LONG')),
})

export interface CompanyFormProps {
  initial?: CompanyForm
  submitLabel: string
  busyLabel: string
  /** The sentence of a failure. */
  errorTitle: string
  /** Answers null on success. */
  onSubmit: (form: CompanyForm) => Promise<ApiError | null>
  onCancel: () => void
}

export function CompanyFormFields({
  initial,
  submitLabel,
  busyLabel,
  errorTitle,
  onSubmit,
  onCancel,
}: CompanyFormProps) {
  const { register, control, handleSubmit, setError, formState } = useForm({
    resolver: zodResolver(schema),
    mode: 'onTouched',
    defaultValues: { companyName: initial?.companyName ?? '', companyDescription: initial?.companyDescription ?? '' },
  })
  const { errors, isSubmitting, isDirty, isSubmitSuccessful } = formState
  const [failure, setFailure] = useState<ApiError | null>(null)
  const wait = useRetrySeconds(failure)
  const [name, description] = useWatch({ control, name: ['companyName', 'companyDescription'] })
  const guard = useLeaveGuard(isDirty && !isSubmitting && (!isSubmitSuccessful || failure !== null))

  const submit = handleSubmit(async ({ companyName, companyDescription }) => {
    setFailure(null)
    const error = await onSubmit({ companyName, companyDescription: companyDescription || undefined })
    if (error === null) return
    const placed = placeErrors(error, setError, {
      names: ['companyName', 'companyDescription'],
      wording: { 'companyName.REQUIRED': NAME_REQUIRED },
    })
    setFailure(placed ? null : error)
  })

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-4">
      <Field label="Nome da Empresa" aside={`${name.length}/${NAME_MAX}`} error={errors.companyName?.message} required>
        <Input autoComplete="organization" {...register('companyName')} />
      </Field>
      <Field
        label="Descrição"
        aside={`${description.length}/${DESCRIPTION_MAX}`}
        error={errors.companyDescription?.message}
        optional
      >
        <TextArea {...register('companyDescription')} />
      </Field>
      <FailureAlert title={errorTitle} failure={failure} />
      <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
        <Button variant="secondary" onClick={onCancel} disabled={isSubmitting}>
          Cancelar
        </Button>
        <Button type="submit" disabled={wait > 0} busy={isSubmitting ? busyLabel : undefined}>
          {submitLabel}
        </Button>
      </div>
      {guard}
    </form>
  )
}
