// The form of the billing profile. It is made of one version: when somebody else saves another meanwhile, the person
// decides whether to go on from that one, and nothing typed is lost unseen.
import { useEffect, useState } from 'react'
import { Controller } from 'react-hook-form'
import { useQueryClient } from '@tanstack/react-query'
import { billingProfileQuery, saveBillingProfile, type BillingProfile } from '../../api/billing-profile'
import { ApiError } from '../../api/errors'
import { write } from '../../api/newest'
import { useAddressByCep } from '../../api/use-address-by-cep'
import { useApiForm, type ApiForm } from '../../api/use-api-form'
import { formatCep, STATES } from '../../lib/postal'
import { formatTaxId } from '../../lib/tax-id'
import { Alert } from '../../ui/alert'
import { announce } from '../../ui/announcer'
import { Dialog } from '../../ui/dialog'
import { ErrorSummary } from '../../ui/error-summary'
import { FailureAlert } from '../../ui/failure-alert'
import { Field } from '../../ui/field'
import { FormActions } from '../../ui/form-actions'
import { Input } from '../../ui/input'
import { useCloseGuard } from '../../ui/leave-guard'
import { LoadNewer } from '../../ui/load-newer'
import { MaskedInput } from '../../ui/masked-input'
import { Select } from '../../ui/select'
import { notifySuccess } from '../../ui/toast'
import {
  billingProfileFields,
  billingProfileSchema,
  requestOf,
  valuesOf,
  type BillingProfileValues,
} from './billing-profile-schema'

const NEWER = 'Outra pessoa salvou estes dados'
const FROM_NEWER = 'Para salvar, comece pelos dados novos.'
const wording = { 'taxId.DOCUMENT_INVALID': 'CPF ou CNPJ inválido. Confira os números.' }
/** The form has one field for all addresses; the server names each: `billingEmails[1]`. */
const nameOf = (serverName: string) => serverName.replace(/\[\d+\]$/, '')

interface BillingProfileDialogProps {
  companyId: string
  /** The newest version; it changes under the dialog when somebody else saves. */
  profile: BillingProfile | null
  onClose: () => void
}

export function BillingProfileDialog({ companyId, profile, onClose }: BillingProfileDialogProps) {
  const queries = useQueryClient()
  const [made, setMade] = useState(profile)
  const form = useApiForm(
    billingProfileSchema,
    { defaultValues: valuesOf(made) },
    { names: billingProfileFields, nameOf, wording },
  )
  const { close, guard } = useCloseGuard(form.unsaved, onClose)
  const newest = profile?.version ?? 0
  // The event of the own change may come before its answer.
  const isOlder = !form.isSubmitting && newest > (made?.version ?? 0)
  useEffect(() => {
    if (isOlder) announce(`${NEWER}. ${FROM_NEWER}`)
  }, [isOlder])

  const submit = form.handleSubmit(async (values) => {
    try {
      const saved = await saveBillingProfile(companyId, requestOf(values, made?.version ?? 0))
      write(queries, billingProfileQuery(companyId).queryKey, saved)
      notifySuccess('Dados de cobrança salvos!')
      onClose()
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.code === 'CONFLICT')
        await queries.invalidateQueries({ queryKey: billingProfileQuery(companyId).queryKey })
      throw thrown
    }
  })
  const goOnFromNewest = () => {
    form.startAnew(valuesOf(profile))
    setMade(profile)
  }

  return (
    <Dialog onClose={close} title="Dados de cobrança" width="payment" busy={form.isSubmitting}>
      <form noValidate onSubmit={submit} className="grid gap-4">
        {isOlder && (
          <Alert tone="warning" role="none" title={NEWER} actions={<LoadNewer onLoad={goOnFromNewest} />}>
            {FROM_NEWER}
          </Alert>
        )}
        <ErrorSummary form={form} />
        <PayerFields form={form} />
        <AddressFields form={form} />
        <Field
          label="Emails de cobrança"
          error={form.errors.billingEmails?.message}
          hint="Recebem os recibos de pagamentos e de reembolsos. Até 5, separados por vírgula."
          optional
        >
          <Input inputMode="email" autoCapitalize="none" spellCheck={false} {...form.register('billingEmails')} />
        </Field>
        {!isOlder && <FailureAlert title="Erro ao salvar os dados de cobrança" failure={form.failure} />}
        <FormActions form={form} onCancel={close} submitLabel="Salvar" busyLabel="Salvando..." />
      </form>
      {guard}
    </Dialog>
  )
}

type Form = ApiForm<BillingProfileValues, BillingProfileValues>

function PayerFields({ form }: { form: Form }) {
  const { register, control, errors } = form
  return (
    <>
      <Field label="CPF ou CNPJ" error={errors.taxId?.message} required>
        <Controller
          control={control}
          name="taxId"
          render={({ field: { onChange, ...field } }) => (
            <MaskedInput
              {...field}
              format={formatTaxId}
              onValue={onChange}
              autoComplete="off"
              autoCapitalize="characters"
            />
          )}
        />
      </Field>
      <Field label="Razão social ou nome completo" error={errors.legalName?.message} required>
        <Input autoComplete="organization" {...register('legalName')} />
      </Field>
      <Field label="Nome fantasia" error={errors.tradeName?.message} optional>
        <Input autoComplete="off" {...register('tradeName')} />
      </Field>
    </>
  )
}

function AddressFields({ form }: { form: Form }) {
  const { register, control, getValues, setValue, setFocus, errors } = form
  const wrong = errors.address
  const found = useAddressByCep<BillingProfileValues['address']>((address, before, earlier) => {
    const { street } = address
    const now = getValues('address')
    for (const name of ['street', 'district', 'city', 'state'] as const) {
      const text = address[name] ?? ''
      const isWanted = text !== '' || (now[name] !== '' && now[name] === earlier?.[name])
      if (isWanted && now[name] === before[name])
        // What is emptied here nobody has left empty yet.
        setValue(`address.${name}`, text, { shouldDirty: true, shouldValidate: text !== '' })
    }
    // Whoever has gone on to another field stays there.
    if (document.activeElement?.getAttribute('name') === 'address.postalCode')
      setFocus(street ? 'address.number' : 'address.street')
  }, form.formState.defaultValues?.address?.postalCode)
  return (
    <fieldset className="grid grid-cols-6 gap-x-3 gap-y-4">
      <legend className="sr-only">Endereço</legend>
      <Field label="CEP" className="col-span-6" error={wrong?.postalCode?.message} hint={found.hint} required>
        <Controller
          control={control}
          name="address.postalCode"
          render={({ field: { onChange, ...field } }) => (
            <MaskedInput
              {...field}
              format={formatCep}
              onValue={(text) => {
                onChange(text)
                found.look(text, { ...getValues('address') })
              }}
              inputMode="numeric"
              autoComplete="postal-code"
              placeholder="00000-000"
              className="sm:max-w-44"
            />
          )}
        />
      </Field>
      <Field label="Logradouro" className="col-span-6 sm:col-span-4" error={wrong?.street?.message} required>
        <Input autoComplete="address-line1" {...register('address.street')} />
      </Field>
      <Field label="Número" className="col-span-6 sm:col-span-2" error={wrong?.number?.message} required>
        <Input autoComplete="off" placeholder="123 ou S/N" {...register('address.number')} />
      </Field>
      <Field label="Complemento" className="col-span-6 sm:col-span-3" error={wrong?.complement?.message} optional>
        <Input autoComplete="address-line2" {...register('address.complement')} />
      </Field>
      <Field label="Bairro" className="col-span-6 sm:col-span-3" error={wrong?.district?.message} required>
        <Input autoComplete="address-level3" {...register('address.district')} />
      </Field>
      <Field label="Cidade" className="col-span-4" error={wrong?.city?.message} required>
        <Input autoComplete="address-level2" {...register('address.city')} />
      </Field>
      <Field label="UF" className="col-span-2" error={wrong?.state?.message} required>
        <Select
          autoComplete="address-level1"
          options={STATES.map((state) => [state, state])}
          {...register('address.state')}
        >
          <option value="">--</option>
        </Select>
      </Field>
    </fieldset>
  )
}
