// A platform admin edits a company: name, description, status; suspending needs a reason.
import { useState } from 'react'
import { useWatch } from 'react-hook-form'
import { useQueryClient } from '@tanstack/react-query'
import {
  adminCompanyQuery,
  adminKeys,
  updateAdminCompany,
  type AdminCompanyDetail,
  type CompanyStatus,
} from '../../../api/admin'
import { fieldSentenceOf } from '../../../api/errors'
import { atLeast, atMost, optional, present, refined } from '../../../api/form-fields'
import { unlessChanged } from '../../../api/merge-changes'
import { useApiForm } from '../../../api/use-api-form'
import { countCharacters } from '../../../lib/characters'
import { optionsOf } from '../../../lib/labels'
import { z } from '../../../lib/zod'
import { Field } from '../../../ui/field'
import { Input, TextArea } from '../../../ui/input'
import { Select } from '../../../ui/select'
import { EditSheet, touchedOf } from '../edit-sheet'
import { companyStatuses } from '../labels'

const NAME_MAX = 100
const TEXT_MAX = 500
const NAME_REQUIRED = 'Nome da empresa é obrigatório'

const statusHints: Partial<Record<CompanyStatus, string>> = {
  suspended: 'Uma empresa suspensa fica só para consulta: nada é cobrado nem mudado',
  inactive: 'Uma empresa inativa fica só para consulta: nada é cobrado nem mudado',
}

export const companyEditSchema = z
  .object({
    name: refined(present(NAME_REQUIRED), atLeast(2, fieldSentenceOf('NAME_TOO_SHORT')), atMost(NAME_MAX)),
    description: optional.check(atMost(TEXT_MAX)),
    status: z.enum(['active', 'inactive', 'suspended']),
    reason: optional.check(atMost(TEXT_MAX)),
    wasSuspended: z.boolean(),
  })
  .check(
    z.refine(({ status, reason, wasSuspended }) => status !== 'suspended' || wasSuspended || reason !== '', {
      path: ['reason'],
      error: fieldSentenceOf('REQUIRED'),
    }),
  )

type CompanyEdit = z.infer<typeof companyEditSchema>

function valuesOf({ name, description, status }: AdminCompanyDetail): CompanyEdit {
  return { name, description: description ?? '', status, reason: '', wasSuspended: status === 'suspended' }
}

/** What a save is held against. The form does not show the reason of the status that it starts with. */
function storedOf(company: AdminCompanyDetail): CompanyEdit {
  return { ...valuesOf(company), reason: company.statusReason ?? '' }
}

interface CompanyFormProps {
  company: AdminCompanyDetail
  /** Back to the company's data. */
  onDone: () => void
  onClose: () => void
}

export default function CompanyForm({ company, onDone, onClose }: CompanyFormProps) {
  const queries = useQueryClient()
  /** As the form began: `company` follows the server while the form stays as it is. */
  const [opened, setOpened] = useState(company)
  const form = useApiForm(
    companyEditSchema,
    { defaultValues: valuesOf(opened) },
    { wording: { 'name.REQUIRED': NAME_REQUIRED } },
  )
  const { dirtyFields } = form.formState
  const [name, description, status] = useWatch({ control: form.control, name: ['name', 'description', 'status'] })
  const { register, errors } = form

  const save = async (values: CompanyEdit) => {
    const now = await queries.fetchQuery({ ...adminCompanyQuery(company.id), staleTime: 0 })
    // A status replaces the reason, too, also by none.
    const edited = touchedOf(values, { ...dirtyFields, reason: dirtyFields.status })
    await updateAdminCompany(company.id, unlessChanged(storedOf(opened), edited, storedOf(now)))
  }
  const loadNewer = () => {
    setOpened(company)
    form.startAnew(valuesOf(company))
  }

  return (
    <EditSheet
      form={form}
      title={`Editar ${company.name}`}
      save={save}
      onLoadNewer={loadNewer}
      stale={[adminKeys.companies, adminKeys.audit]}
      savedText="Empresa atualizada com sucesso!"
      failedTitle="Erro ao atualizar empresa"
      onDone={onDone}
      onCancel={onDone}
      onClose={onClose}
    >
      <Field
        label="Nome da Empresa"
        aside={`${countCharacters(name)}/${NAME_MAX}`}
        error={errors.name?.message}
        required
      >
        <Input autoComplete="off" {...register('name')} />
      </Field>
      <Field
        label="Descrição"
        aside={`${countCharacters(description)}/${TEXT_MAX}`}
        error={errors.description?.message}
        optional
      >
        <TextArea {...register('description')} />
      </Field>
      <Field label="Status" error={errors.status?.message} hint={statusHints[status]}>
        <Select {...register('status')} options={optionsOf(companyStatuses)} />
      </Field>
      {dirtyFields.status && (
        <Field
          label="Motivo"
          error={errors.reason?.message}
          required={status === 'suspended'}
          optional={status !== 'suspended'}
        >
          <TextArea rows={3} {...register('reason')} />
        </Field>
      )}
    </EditSheet>
  )
}
