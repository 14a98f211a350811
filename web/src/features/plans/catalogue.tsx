// The plans on sale with the choice of a cycle: what the page 'Planos e Assinaturas' shows to everybody.
import type { Plan } from '../../api/plans'
import type { BillingCycle } from '../../lib/labels'
import { isCycle } from '../../lib/plans'
import { useIsLive } from '../../live/status'
import { ComparePlans } from '../../ui/compare-plans'
import { cx } from '../../ui/cx'
import { CycleChoice } from '../../ui/cycle-choice'
import { DataArea, type AreaQuery } from '../../ui/data-area'
import { PlanIcon } from '../../ui/icons'
import { Skeleton } from '../../ui/skeleton'
import { useUrlState } from '../../ui/url-state'
import { PlanGrid, type PlanGridProps } from './plan-grid'

export const PLANS_HEADING = 'planos'

type CatalogueProps = Omit<PlanGridProps, 'plans' | 'cycle'> & { query: AreaQuery<Plan[]> }

export function Catalogue({ query, ...rest }: CatalogueProps) {
  const [cycle, setCycle] = useCycle(rest.current?.billingCycle ?? 'monthly')
  return (
    <section aria-labelledby={PLANS_HEADING} className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 id={PLANS_HEADING} tabIndex={-1} className="scroll-mt-20">
          Planos
        </h2>
        <CycleChoice
          plans={query.data ?? []}
          cycle={cycle}
          onCycle={setCycle}
          // The plans tell what a cycle saves: until they have come, its options have other widths.
          className={cx('max-sm:w-full', query.isPending && 'invisible')}
        />
      </div>
      <DataArea
        query={query}
        live={useIsLive()}
        errorTitle="Erro ao carregar planos"
        skeleton={<GridSkeleton />}
        empty={{ icon: PlanIcon, text: 'Nenhum plano encontrado' }}
      >
        {(plans) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <PlanGrid plans={plans} cycle={cycle} {...rest} />
            <ComparePlans plans={plans} cycle={cycle} />
          </div>
        )}
      </DataArea>
    </section>
  )
}

function GridSkeleton() {
  return (
    <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
      {[0, 1, 2, 3].map((place) => (
        <Skeleton key={place} className="h-96" />
      ))}
    </div>
  )
}

/** Opens on the subscriber's own. The chosen one lives in the URL, so that a link and a reload show the same prices. */
function useCycle(own: BillingCycle): [BillingCycle, (cycle: BillingCycle) => void] {
  const url = useUrlState()
  const named = url.get('cycle')
  return [isCycle(named) ? named : own, (cycle) => url.set({ cycle: cycle === own ? '' : cycle })]
}
