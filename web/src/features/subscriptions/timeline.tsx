// What happened to the subscription: kind, who, when, plan, cycle and amount of each entry.
import { useInfiniteQuery } from '@tanstack/react-query'
import { historyQuery, type HistoryEntry } from '../../api/subscriptions'
import { formatDateTime } from '../../lib/dates'
import { billingCycleLabels, historyLabel, historyTones, type Tone } from '../../lib/labels'
import { formatReais } from '../../lib/money'
import { Button } from '../../ui/button'
import { Card, CardHeader } from '../../ui/card'
import { cx } from '../../ui/cx'
import { DataArea } from '../../ui/data-area'
import { SubscriptionIcon } from '../../ui/icons'
import { SkeletonLines } from '../../ui/skeleton'

export function Timeline({ companyId, live }: { companyId: string; live: boolean }) {
  const query = useInfiniteQuery(historyQuery(companyId))
  return (
    <Card>
      <CardHeader title="Movimentações" />
      <DataArea
        query={query}
        live={live}
        errorTitle="Erro ao carregar assinatura"
        skeleton={<SkeletonLines count={5} />}
        isEmpty={({ pages }) => pages.every(({ history }) => history.length === 0)}
        empty={{ icon: SubscriptionIcon, text: 'Nenhuma movimentação ainda' }}
      >
        {({ pages }) => (
          <ol className="grid">
            {pages
              .flatMap(({ history }) => history)
              .map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
          </ol>
        )}
      </DataArea>
      {query.hasNextPage && (
        <Button variant="secondary" size="small" className="mt-4" onClick={() => void query.fetchNextPage()} busy={query.isFetchingNextPage && 'Carregando...'}>
          Carregar mais
        </Button>
      )}
    </Card>
  )
}

const dots: Record<Tone, string> = { success: 'bg-success', warning: 'bg-warning', danger: 'bg-danger', info: 'bg-info', neutral: 'bg-neutral' }

function Entry({ entry }: { entry: HistoryEntry }) {
  const { at, by, planName, billingCycle, amount, detail, type } = entry
  const what = [planName, billingCycleLabels[billingCycle], by].filter(Boolean).join(' · ')
  return (
    <li className="relative grid gap-x-4 gap-y-0.5 border-l border-line pb-6 pl-5 last:border-transparent last:pb-0 sm:grid-cols-[minmax(0,1fr)_auto]">
      <span aria-hidden="true" className={cx('absolute top-1.5 -left-[5px] size-[9px] rounded-full ring-4 ring-surface', dots[historyTones[type] ?? 'neutral'])} />
      <div className="grid gap-0.5">
        <span className="font-medium">{historyLabel(type)}</span>
        <span className="text-muted">{what}</span>
        {detail && <span className="max-w-[68ch] wrap-anywhere text-muted">{`“${detail}”`}</span>}
      </div>
      <div className="flex flex-wrap items-baseline gap-x-3 tabular-nums sm:grid sm:content-start sm:justify-items-end">
        {amount != null && <span className="font-medium">{formatReais(amount)}</span>}
        <time dateTime={at} className="text-label text-muted">
          {formatDateTime(at)}
        </time>
      </div>
    </li>
  )
}
