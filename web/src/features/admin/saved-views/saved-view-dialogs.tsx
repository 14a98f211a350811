// What is asked about a saved view: its name, whether it takes the present filters, whether it goes.
import { useWatch } from 'react-hook-form'
import { useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../api/errors'
import { atMost, present } from '../../../api/form-fields'
import { ActDialog } from '../../../api/mutation-dialog'
import {
  createView,
  deleteView,
  savedViewsQuery,
  updateView,
  type SavedView,
  type SavedViewRequest,
  type ViewedList,
  type ViewFilters,
} from '../../../api/saved-views'
import { savedViewsKey } from '../../../api/saved-views-key'
import { useApiForm } from '../../../api/use-api-form'
import { useCreateOnce } from '../../../api/use-create-once'
import { countCharacters } from '../../../lib/characters'
import { z } from '../../../lib/zod'
import { Dialog } from '../../../ui/dialog'
import { FailureAlert } from '../../../ui/failure-alert'
import { Field } from '../../../ui/field'
import { FormActions } from '../../../ui/form-actions'
import { Input } from '../../../ui/input'
import { notifySuccess } from '../../../ui/toast'
import { queryOf } from './view-filters'

const NAME_MAX = 40
const schema = z.object({ name: present().check(atMost(NAME_MAX)) })

function useReadAgain() {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: savedViewsKey })
}

interface SaveViewProps {
  list: ViewedList
  filters: ViewFilters
  /** Renamed; without it a new one is saved. */
  view?: SavedView
  onClose: () => void
}

/** A view that a call has made whose answer was lost is found by what was sent. */
function useCreateView() {
  const queries = useQueryClient()
  return useCreateOnce(createView, async ({ list, name, filters }: SavedViewRequest) => {
    const views = await queries.fetchQuery({ ...savedViewsQuery(), staleTime: 0 })
    const here = queryOf(filters, list)
    return views.find((view) => view.list === list && view.name === name && queryOf(view.filters, list) === here)
  })
}

export function SaveView({ list, filters, view, onClose }: SaveViewProps) {
  const readAgain = useReadAgain()
  const create = useCreateView()
  const form = useApiForm(
    schema,
    { defaultValues: { name: view?.name ?? '' } },
    { byCode: { VIEW_NAME_EXISTS: 'name' } },
  )
  const { register, control, handleSubmit, errors, isSubmitting, failure } = form
  const typed = useWatch({ control, name: 'name' })
  const submit = handleSubmit(async ({ name }) => {
    const body = { list, name, filters }
    await (view ? updateView(view.id, body) : create(body))
    await readAgain()
    notifySuccess(view ? `Visualização renomeada para ${name}` : `Visualização ${name} salva`)
    onClose()
  })
  return (
    <Dialog
      onClose={onClose}
      title={view ? `Renomear ${view.name}` : 'Salvar visualização'}
      description={!view && 'Guarda a busca, os filtros e a ordem da lista. Só você vê as suas visualizações.'}
      busy={isSubmitting}
    >
      <form noValidate onSubmit={submit} className="grid gap-4">
        <Field label="Nome" aside={`${countCharacters(typed)}/${NAME_MAX}`} error={errors.name?.message} required>
          <Input autoComplete="off" {...register('name')} />
        </Field>
        <FailureAlert
          title={view ? 'Erro ao renomear visualização' : 'Erro ao salvar visualização'}
          failure={failure}
        />
        <FormActions form={form} onCancel={onClose} submitLabel="Salvar" busyLabel="Salvando..." />
      </form>
    </Dialog>
  )
}

interface OneViewProps {
  view: SavedView
  onClose: () => void
}

export function ReplaceView({ view, filters, onClose }: OneViewProps & { filters: ViewFilters }) {
  const readAgain = useReadAgain()
  return (
    <ActDialog
      title={`Usar os filtros atuais em ${view.name}?`}
      description="A visualização passa a guardar a busca, os filtros e a ordem que estão na tela."
      actLabel="Usar filtros atuais"
      actVariant="primary"
      busyLabel="Salvando..."
      failureTitle="Erro ao salvar visualização"
      onClose={onClose}
      act={async () => {
        await updateView(view.id, { list: view.list, name: view.name, filters })
        await readAgain()
        notifySuccess(`Visualização ${view.name} salva`)
      }}
    />
  )
}

export function RemoveView({ view, onClose }: OneViewProps) {
  const readAgain = useReadAgain()
  return (
    <ActDialog
      title={`Excluir a visualização ${view.name}?`}
      description="Só a visualização é excluída. Os registros da lista continuam como estão."
      actLabel="Excluir"
      busyLabel="Excluindo..."
      failureTitle="Erro ao excluir visualização"
      onClose={onClose}
      act={async () => {
        await deleteView(view.id).catch(unlessGone)
        await readAgain()
        notifySuccess(`Visualização ${view.name} excluída`)
      }}
    />
  )
}

/** Another tab has removed it. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
}
