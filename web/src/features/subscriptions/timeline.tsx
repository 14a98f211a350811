// What happened to the subscription: kind, who, when, plan, cycle and amount of each entry.
import { useInfiniteQuery } from '@tanstack/react-query'
import { historyQuery, type HistoryEntry } from '../../api/subscriptions'
import { formatDateTime } from '../../lib/dates'
import { billingCycleLabels, historyLabel } from '../../lib/labels'
import { formatReais } from '../../lib/money'
import { Button } from '../../ui/button'
import { Card, CardHeader } from '../../ui/card'
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
          <ol className="grid gap-4">
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

function Entry({ entry }: { entry: HistoryEntry }) {
  const { at, by, planName, billingCycle, amount } = entry
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5 border-l-2 border-line pl-4">
      <div className="grid">
        <span className="font-medium">{historyLabel(entry.type)}</span>
        <span className="text-muted">{[planName, billingCycleLabels[billingCycle], by].filter(Boolean).join(' · ')}</span>
      </div>
      <div className="grid text-right tabular-nums max-sm:text-left">
        {amount != null && <span className="font-medium">{formatReais(amount)}</span>}
        <time dateTime={at} className="text-label text-muted">
          {formatDateTime(at)}
        </time>
      </div>
    </li>
  )
}
