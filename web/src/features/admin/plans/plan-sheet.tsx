// The form of a plan in a sheet beside the list, with the card as companies will see it.
import { useState } from 'react'
import { useWatch, type FieldPath } from 'react-hook-form'
import { useQueryClient } from '@tanstack/react-query'
import {
  adminKeys,
  createPlan,
  adminPlanQuery,
  adminPlansQuery,
  updatePlan,
  type AdminPlan,
  type PlanRequest,
} from '../../../api/admin'
import { mergeChanges } from '../../../api/merge-changes'
import { planKeys } from '../../../api/plans'
import { useApiForm } from '../../../api/use-api-form'
import { useCreateOnce } from '../../../api/use-create-once'
import { Alert } from '../../../ui/alert'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { Input, TextArea } from '../../../ui/input'
import { Switch } from '../../../ui/switch'
import { EditSheet } from '../edit-sheet'
import { WITHOUT_FREE_PLAN } from '../labels'
import {
  discounted,
  emptyPlan,
  FEATURES_MAX,
  formOf,
  isFree,
  planSchema,
  REQUIRED,
  requestOf,
  slugOf,
  type PlanForm,
} from './plan-draft'
import { FeatureFields, LimitField, NumberField } from './plan-fields'
import { PlanPreview } from './plan-preview'

const names: FieldPath<PlanForm>[] = [
  'displayName',
  'description',
  'monthlyPrice',
  'quarterlyPrice',
  'yearlyPrice',
  'limits.maxUsers',
  'limits.maxBeeping',
  'hierarchy',
  ...Array.from({ length: FEATURES_MAX }, (_, index) => `features.${index}.text` as const),
]
/** The server names a line by its place: `features[3]`. */
const nameOf = (serverName: string) => serverName.replace(/^features\[(\d+)\]$/, 'features.$1.text')

interface PlanSheetProps {
  /** Without one: a new plan. */
  plan?: AdminPlan
  onSaved: (id: string) => void
  onClose: () => void
}

export default function PlanSheet({ plan, onSaved, onClose }: PlanSheetProps) {
  const queries = useQueryClient()
  /** As the form began: `plan` follows the server while the form stays as it is. */
  const [opened, setOpened] = useState(plan)
  const form = useApiForm(
    planSchema,
    { defaultValues: valuesOf(opened) },
    { names, nameOf, byCode: { PLAN_NAME_EXISTS: 'displayName' }, wording: { REQUIRED } },
  )
  const { register, control, setValue, errors } = form
  const { dirtyFields } = form.formState
  const values = useWatch({ control }) as PlanForm
  const changesPrice =
    plan !== undefined && Boolean(dirtyFields.monthlyPrice || dirtyFields.quarterlyPrice || dirtyFields.yearlyPrice)

  const losesFree = opened?.isFree && opened.status === 'active' && values.monthlyPrice !== null && !isFree(values)

  const find = async (body: PlanRequest) => {
    const { pages } = await queries.fetchInfiniteQuery({ ...adminPlansQuery('all', 100), staleTime: 0 })
    const sent = JSON.stringify(body)
    return pages.flatMap(({ plans }) => plans).find((known) => JSON.stringify(requestOf(formOf(known))) === sent)
  }
  const create = useCreateOnce(createPlan, find)

  const save = async (draft: PlanForm) => {
    const body = requestOf(draft)
    const { id } = await (opened ? update(opened, body) : create(body))
    onSaved(id)
  }

  /** The call writes the whole plan, which another administrator may have changed meanwhile. */
  const update = async (from: AdminPlan, body: ReturnType<typeof requestOf>) => {
    const now = await queries.fetchQuery({ ...adminPlanQuery(from.id), staleTime: 0 })
    return updatePlan(from.id, mergeChanges(requestOf(formOf(from)), body, requestOf(formOf(now))))
  }
  const loadNewer = () => {
    setOpened(plan)
    form.startAnew(valuesOf(plan))
  }

  const fillDiscounts = () => {
    if (values.monthlyPrice === null) return
    const { quarterlyPrice, yearlyPrice } = discounted(values.monthlyPrice)
    setValue('quarterlyPrice', quarterlyPrice, { shouldDirty: true, shouldValidate: true })
    setValue('yearlyPrice', yearlyPrice, { shouldDirty: true, shouldValidate: true })
  }

  return (
    <EditSheet
      form={form}
      title={plan ? `Editar ${plan.displayName}` : 'Criar Novo Plano'}
      submitLabel={plan ? 'Salvar' : 'Criar Plano'}
      save={save}
      onLoadNewer={loadNewer}
      stale={[adminKeys.plans, planKeys.list]}
      savedText={plan ? 'Plano atualizado com sucesso!' : 'Plano criado com sucesso!'}
      failedTitle={plan ? 'Erro ao atualizar plano' : 'Erro ao criar plano'}
      onDone={onClose}
      onClose={onClose}
      below={
        <div className="grid gap-2">
          <p className="text-label font-medium">Como as empresas verão</p>
          <PlanPreview form={values} />
        </div>
      }
      className="gap-5"
    >
      <Field label="Nome" error={errors.displayName?.message} hint={<Slug name={values.displayName} />} required>
        <Input autoComplete="off" {...register('displayName')} />
      </Field>
      <Field label="Descrição" error={errors.description?.message} required>
        <TextArea rows={2} {...register('description')} />
      </Field>
      <fieldset className="grid gap-3">
        <legend className="sr-only">Preços</legend>
        <div className="grid gap-3 sm:grid-cols-3">
          <NumberField kind="reais" control={control} name="monthlyPrice" label="Preço mensal" />
          <NumberField kind="reais" control={control} name="quarterlyPrice" label="Preço trimestral" />
          <NumberField kind="reais" control={control} name="yearlyPrice" label="Preço anual" />
        </div>
        <Button
          variant="secondary"
          size="small"
          className="justify-self-start"
          onClick={fillDiscounts}
          disabled={values.monthlyPrice === null}
        >
          Preencher com desconto padrão
        </Button>
        {values.monthlyPrice === 0 && (
          <Switch
            label="Sob consulta"
            hint="O preço é combinado com a equipe de vendas. Com a opção desligada, o plano é gratuito."
            {...register('onRequest')}
          />
        )}
        {changesPrice && <Alert tone="info">As assinaturas atuais mantêm o preço.</Alert>}
        {losesFree && <Alert tone="warning">{WITHOUT_FREE_PLAN}</Alert>}
      </fieldset>
      <div className="grid gap-4 sm:grid-cols-2">
        <LimitField control={control} name="limits.maxUsers" label="Máximo de usuários" />
        <LimitField control={control} name="limits.maxBeeping" label="Máximo de bipagens por mês" />
      </div>
      <FeatureFields control={control} />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField kind="whole" control={control} name="hierarchy" label="Nível" hint="Ordem na lista de planos" />
        <Switch
          label="Plano popular"
          hint={'Recebe o selo “Mais\u00a0Popular”'}
          className="sm:pt-6"
          {...register('isPopular')}
        />
      </div>
    </EditSheet>
  )
}

function valuesOf(plan?: AdminPlan): PlanForm {
  return plan ? formOf(plan) : emptyPlan
}

function Slug({ name }: { name: string }) {
  const slug = slugOf(name)
  return (
    <>
      Identificador: <span className="font-mono break-all">{slug || '—'}</span>
    </>
  )
}
