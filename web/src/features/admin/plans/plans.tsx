// "Gerenciar Planos": the catalogue on sale and off, its form in a sheet (`?new=1`, `?edit=`), on and off, asking
// first while a plan has active subscriptions or is free. Follows the plans, and how many subscribe to them.
import { Suspense, useState } from 'react'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query'
import {
  adminKeys,
  adminPlanQuery,
  adminPlansQuery,
  setPlanStatus,
  type AdminPlan,
  type PlanPage,
  type PlanStatus,
} from '../../../api/admin'
import { asApiError } from '../../../api/errors'
import { lazyDialog } from '../../../api/lazy-dialog'
import { planKeys } from '../../../api/plans'
import { eachOnce } from '../../../lib/each-once'
import { counted } from '../../../lib/labels'
import { useIsLive } from '../../../live/status'
import { AlertDialog } from '../../../ui/alert-dialog'
import { Button } from '../../../ui/button'
import { DataArea, settlesFirst } from '../../../ui/data-area'
import { AddIcon, PlanIcon } from '../../../ui/icons'
import { LoadMore } from '../../../ui/pager'
import { Page } from '../../../ui/page'
import { Segmented } from '../../../ui/segmented'
import { Sheet } from '../../../ui/sheet'
import { Skeleton, SkeletonLines } from '../../../ui/skeleton'
import { notifyError, notifySuccess } from '../../../ui/toast'
import { WITHOUT_FREE_PLAN } from '../labels'
import { useLivePlans } from '../live-metrics'
import { PlanCard } from './plan-card'
import { useUrlState } from '../../../ui/url-state'

/** The form's code is loaded when it is opened. */
const PlanSheet = lazyDialog(() => import('./plan-sheet'))

const grid = 'grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4'
const filters = [
  { value: 'active', label: 'Ativos' },
  { value: 'inactive', label: 'Inativos' },
] as const

type Pages = InfiniteData<PlanPage>

export function AdminPlansPage() {
  const url = useUrlState()
  const status: PlanStatus = url.get('status') === 'inactive' ? 'inactive' : 'active'
  const query = useInfiniteQuery(adminPlansQuery(status))
  useLivePlans()
  const { toggle, dialog } = useToggle()
  const [saved, setSaved] = useState<string | null>(null)
  const counts = query.data?.pages.at(-1)?.counts
  const create = () => url.open({ new: '1', edit: '' })
  const closeSheet = () => url.set({ new: '', edit: '' })

  return (
    <Page
      title="Gerenciar Planos"
      subtitle={
        counts
          ? `${counted(counts.active, 'ativo', 'ativos', 'Nenhum')} de ${counted(counts.total, 'plano', 'planos', 'nenhum')}`
          : '\u00A0'
      }
      actions={
        <Button onClick={create}>
          <AddIcon />
          Criar Novo Plano
        </Button>
      }
    >
      <div>
        <Segmented
          legend="Status"
          value={status}
          onChange={(next) => url.set({ status: next === 'active' ? '' : next })}
          options={filters}
        />
      </div>
      <DataArea
        key={status}
        query={query}
        live={useIsLive()}
        errorTitle="Erro ao carregar planos"
        skeleton={<CardsSkeleton />}
        className={settlesFirst}
        isEmpty={({ pages }) => pages.every(({ plans }) => plans.length === 0)}
        empty={{
          icon: PlanIcon,
          text: 'Nenhum plano encontrado',
          action: status === 'active' && <Button onClick={create}>Criar Novo Plano</Button>,
        }}
      >
        {({ pages }) => (
          <ul role="list" className={grid}>
            {eachOnce(pages.flatMap(({ plans }) => plans)).map((plan) => (
              <PlanCard
                key={plan.id}
                plan={plan}
                isConfirmed={plan.id === saved}
                onEdit={() => url.open({ edit: plan.id, new: '' })}
                onToggle={() => toggle(plan)}
              />
            ))}
          </ul>
        )}
      </DataArea>
      <LoadMore query={query} className="justify-self-center" />
      <Suspense fallback={null}>
        {url.get('new') !== null ? (
          <PlanSheet onSaved={setSaved} onClose={closeSheet} />
        ) : (
          <EditPlan planId={url.get('edit')} onSaved={setSaved} onClose={closeSheet} />
        )}
      </Suspense>
      {dialog}
    </Page>
  )
}

/** The plan as the server has it now, not as the list showed it. */
function EditPlan({ planId, ...rest }: { planId: string | null; onSaved: (id: string) => void; onClose: () => void }) {
  const query = useQuery({
    ...adminPlanQuery(planId ?? ''),
    enabled: planId !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (planId === null) return null
  if (query.data) return <PlanSheet key={planId} plan={query.data} {...rest} />
  return (
    <Sheet onClose={rest.onClose} title="Editar plano">
      <DataArea query={query} errorTitle="Erro ao carregar planos" skeleton={<SkeletonLines count={10} />}>
        {() => null}
      </DataArea>
    </Sheet>
  )
}

/** On and off at once on the screen, taken back with a toast when the server refuses. */
function useToggle() {
  const queries = useQueryClient()
  const [asked, setAsked] = useState<AdminPlan | null>(null)
  const change = useMutation({
    mutationFn: ({ plan, status }: { plan: AdminPlan; status: PlanStatus }) => setPlanStatus(plan.id, status),
    onMutate: async ({ plan, status }) => {
      await queries.cancelQueries({ queryKey: adminKeys.plans })
      const before = queries.getQueriesData<Pages>({ queryKey: adminKeys.planLists })
      queries.setQueriesData<Pages>(
        { queryKey: adminKeys.planLists },
        (cached) => cached && withStatus(cached, plan.id, status),
      )
      return before
    },
    onSuccess: (_, { plan, status }) =>
      notifySuccess(`${plan.displayName} ${status === 'active' ? 'ativado' : 'desativado'}`, { id: `plan ${plan.id}` }),
    onError: (error, { plan }, before) => {
      for (const [key, cached] of before ?? []) queries.setQueryData(key, cached)
      notifyError(`Erro ao alterar ${plan.displayName}`, { id: `plan ${plan.id}`, detail: asApiError(error).sentence })
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: adminKeys.plans })
      void queries.invalidateQueries({ queryKey: planKeys.list })
    },
  })

  const toggle = (plan: AdminPlan) => {
    if (plan.status === 'active' && (plan.activeSubscriptions > 0 || plan.isFree)) setAsked(plan)
    else change.mutate({ plan, status: plan.status === 'active' ? 'inactive' : 'active' })
  }
  const dialog = asked && (
    <AlertDialog
      onClose={() => setAsked(null)}
      title={`Desativar ${asked.displayName}?`}
      description={consequencesOf(asked)}
      safeLabel="Cancelar"
      actLabel="Desativar"
      onAct={() => {
        change.mutate({ plan: asked, status: 'inactive' })
        setAsked(null)
      }}
    />
  )
  return { toggle, dialog }
}

function consequencesOf({ activeSubscriptions: count, isFree }: AdminPlan): string {
  const [fate, renewal] = count === 1 ? ['continua', 'é renovada'] : ['continuam', 'são renovadas']
  const sentences = [
    count > 0 &&
      `${counted(count, 'assinatura', 'assinaturas', 'Nenhuma')} ${fate}${isFree ? '' : ` e ${renewal} normalmente`}.`,
    'O plano deixa de ser vendido.',
    isFree && WITHOUT_FREE_PLAN,
  ]
  return sentences.filter(Boolean).join(' ')
}

function withStatus(cached: Pages, planId: string, status: PlanStatus): Pages {
  return {
    ...cached,
    pages: cached.pages.map((page) => ({
      ...page,
      plans: page.plans.map((plan) => (plan.id === planId ? { ...plan, status } : plan)),
    })),
  }
}

function CardsSkeleton() {
  return (
    <div className={grid}>
      {['a', 'b', 'c', 'd'].map((key) => (
        <Skeleton key={key} className="h-88" />
      ))}
    </div>
  )
}
