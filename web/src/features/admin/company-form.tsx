// A platform admin edits a company: name, description, status; suspending needs a reason.
import { useId, useState } from 'react'
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm, useWatch } from 'react-hook-form'
import { useQueryClient } from '@tanstack/react-query'
import { adminKeys, updateCompany, type AdminCompanyDetail } from '../../api/admin'
import { asApiError, fieldSentenceOf, type ApiError } from '../../api/errors'
import { placeErrors } from '../../api/form-errors'
import { z } from '../../lib/zod'
import { Button } from '../../ui/button'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { Input, TextArea } from '../../ui/input'
import { useCloseGuard } from '../../ui/leave-guard'
import { Select } from '../../ui/select'
import { Sheet } from '../../ui/sheet'
import { notifySuccess } from '../../ui/toast'
import { companyStatusLabels } from './labels'

const NAME_MAX = 100
const TEXT_MAX = 500
const NAME_REQUIRED = 'Nome da empresa é obrigatório'
const tooLong = fieldSentenceOf('TOO_LONG')

export const companyEditSchema = z
  .object({
    name: z
      .string()
      .trim()
      .min(1, NAME_REQUIRED)
      .pipe(z.string().min(2, fieldSentenceOf('NAME_TOO_SHORT')).max(NAME_MAX, tooLong)),
    description: z.string().trim().max(TEXT_MAX, tooLong),
    status: z.enum(['active', 'inactive', 'suspended']),
    reason: z.string().trim().max(TEXT_MAX, tooLong),
    wasSuspended: z.boolean(),
  })
  .refine(({ status, reason, wasSuspended }) => status !== 'suspended' || wasSuspended || reason !== '', { path: ['reason'], message: fieldSentenceOf('REQUIRED') })
type Form = z.input<typeof companyEditSchema>
const names = ['name', 'description', 'status', 'reason'] as const

export interface CompanyFormProps {
  company: AdminCompanyDetail
  /** Back to the company's data. */
  onDone: () => void
  onClose: () => void
}

export function CompanyForm({ company, onDone, onClose }: CompanyFormProps) {
  const queries = useQueryClient()
  const id = useId()
  const { register, control, handleSubmit, setError, formState } = useForm<Form>({
    resolver: zodResolver(companyEditSchema),
    mode: 'onTouched',
    defaultValues: { name: company.name, description: company.description ?? '', status: company.status, reason: '', wasSuspended: company.status === 'suspended' },
  })
  const { errors, isSubmitting, isDirty, dirtyFields } = formState
  const [failure, setFailure] = useState<ApiError | null>(null)
  const [saved, setSaved] = useState(false)
  const wait = useRetrySeconds(failure)
  const { close, guard } = useCloseGuard(isDirty && !saved, onClose)
  const [name, description, status] = useWatch({ control, name: ['name', 'description', 'status'] })

  const submit = handleSubmit(async (form) => {
    setFailure(null)
    try {
      // What was not touched is not sent: it may have changed meanwhile.
      const changed = Object.fromEntries(names.filter((field) => dirtyFields[field]).map((field) => [field, form[field]]))
      await updateCompany(company.id, changed)
    } catch (error) {
      const refusal = asApiError(error)
      setFailure(placeErrors(refusal, setError, { names, wording: { 'name.REQUIRED': NAME_REQUIRED } }) ? null : refusal)
      return
    }
    setSaved(true)
    void queries.invalidateQueries({ queryKey: adminKeys.companies })
    notifySuccess('Empresa atualizada com sucesso!')
    onDone()
  })

  return (
    <Sheet
      open
      onClose={close}
      title={`Editar ${company.name}`}
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
        <Field label="Nome da Empresa" aside={`${name.length}/${NAME_MAX}`} error={errors.name?.message} required>
          <Input autoComplete="off" {...register('name')} />
        </Field>
        <Field label="Descrição" aside={`${description.length}/${TEXT_MAX}`} error={errors.description?.message} optional>
          <TextArea {...register('description')} />
        </Field>
        <Field label="Status" error={errors.status?.message} hint={status === 'suspended' ? 'Uma empresa suspensa só lê: não é cobrada nem muda nada' : undefined}>
          <Select {...register('status')}>
            {Object.entries(companyStatusLabels).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
        {dirtyFields.status && (
          <Field label="Motivo" error={errors.reason?.message} required={status === 'suspended'} optional={status !== 'suspended'}>
            <TextArea rows={3} {...register('reason')} />
          </Field>
        )}
        <FailureAlert title="Erro ao atualizar empresa" failure={failure} />
      </form>
      {guard}
    </Sheet>
  )
}
