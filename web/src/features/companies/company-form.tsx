// Name and description of a company, for the create page and the edit dialog.
import { useWatch } from 'react-hook-form'
import { countCharacters } from '../../lib/characters'
import { z } from '../../lib/zod'
import type { Company, CompanyForm } from '../../api/companies'
import { fieldSentenceOf } from '../../api/errors'
import { atLeast, atMost, optional, present, refined } from '../../api/form-fields'
import { useApiForm } from '../../api/use-api-form'
import { FailureAlert } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { FormActions } from '../../ui/form-actions'
import { Input, TextArea } from '../../ui/input'
import { LoadNewer } from '../../ui/load-newer'

const NAME_MAX = 100
const DESCRIPTION_MAX = 500
const NAME_REQUIRED = 'Nome da empresa é obrigatório'

export const companySchema = z.object({
  companyName: refined(present(NAME_REQUIRED), atLeast(2, fieldSentenceOf('NAME_TOO_SHORT')), atMost(NAME_MAX)),
  companyDescription: optional.check(atMost(DESCRIPTION_MAX)),
})

type Named = Pick<Company, keyof CompanyForm>

export function useCompanyForm(initial?: Named) {
  return useApiForm(
    companySchema,
    { defaultValues: valuesOf(initial) },
    { wording: { 'companyName.REQUIRED': NAME_REQUIRED } },
  )
}

export function valuesOf(company?: Named) {
  return { companyName: company?.companyName ?? '', companyDescription: company?.companyDescription ?? '' }
}

interface CompanyFormFieldsProps {
  form: ReturnType<typeof useCompanyForm>
  submitLabel: string
  busyLabel: string
  /** The sentence of a failure. */
  errorTitle: string
  onSubmit: (values: CompanyForm) => Promise<void>
  onCancel: () => void
  /** Begins with the company as it is by now. */
  onLoadNewer?: () => void
}

export function CompanyFormFields({
  form,
  submitLabel,
  busyLabel,
  errorTitle,
  onSubmit,
  onCancel,
  onLoadNewer,
}: CompanyFormFieldsProps) {
  const { register, errors, failure } = form
  const [name, description] = useWatch({ control: form.control, name: ['companyName', 'companyDescription'] })

  const submit = form.handleSubmit(({ companyName, companyDescription }) =>
    onSubmit({ companyName, companyDescription: companyDescription || null }),
  )

  return (
    <form noValidate onSubmit={submit} className="grid gap-4">
      <Field
        label="Nome da Empresa"
        aside={`${countCharacters(name)}/${NAME_MAX}`}
        error={errors.companyName?.message}
        required
      >
        <Input autoComplete="organization" {...register('companyName')} />
      </Field>
      <Field
        label="Descrição"
        aside={`${countCharacters(description)}/${DESCRIPTION_MAX}`}
        error={errors.companyDescription?.message}
        optional
      >
        <TextArea {...register('companyDescription')} />
      </Field>
      <FailureAlert
        title={errorTitle}
        failure={failure}
        actions={failure?.code === 'CONFLICT' && onLoadNewer && <LoadNewer onLoad={onLoadNewer} />}
      />
      <FormActions form={form} onCancel={onCancel} submitLabel={submitLabel} busyLabel={busyLabel} />
    </form>
  )
}
