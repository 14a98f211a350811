// What happened to the subscription: kind, who, when, plan, cycle and amount of each entry.
import { useInfiniteQuery } from '@tanstack/react-query'
import { reasonOf } from '../../api/payment-reasons'
import type { FailureCode } from '../../api/payments'
import { historyQuery, type HistoryEntry } from '../../api/subscriptions'
import { formatDateTime } from '../../lib/dates'
import { billingCycleLabels, historyEntry, type Tone } from '../../lib/labels'
import { formatReais } from '../../lib/money'
import { useIsLive } from '../../live/status'
import { Card, CardHeader } from '../../ui/card'
import { cx } from '../../ui/cx'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { SubscriptionIcon } from '../../ui/icons'
import { LoadMore } from '../../ui/pager'
import { SkeletonLines } from '../../ui/skeleton'

export function Timeline({ companyId }: { companyId: string }) {
  const query = useInfiniteQuery(historyQuery(companyId))
  return (
    <Card>
      <CardHeader title="Movimentações" />
      <DataArea
        query={query}
        live={useIsLive()}
        errorTitle="Erro ao carregar assinatura"
        skeleton={<SkeletonLines count={5} />}
        className={settlesFirst}
        empty={{ icon: SubscriptionIcon, text: 'Nenhuma movimentação ainda' }}
      >
        {(history) => (
          <ol role="list" className="ml-1 grid">
            {history.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ol>
        )}
      </DataArea>
      <LoadMore query={query} size="small" className="mt-4" />
    </Card>
  )
}

const dots: Record<Tone, string> = {
  success: 'bg-success',
  warning: 'bg-warning',
  danger: 'bg-danger',
  info: 'bg-info',
  neutral: 'bg-neutral',
}

/** What a person wrote is quoted; of a charge that failed the server knows the code. */
function remarkOf({ type, detail }: HistoryEntry): string {
  return type === 'renewal_failed' ? reasonOf({ failureCode: detail as FailureCode }) : `“${detail}”`
}

/** A cancellation and an end cost nothing: what they move is the rest of the paid time. */
function moneyOf({ type }: HistoryEntry, amount: number): string {
  return type === 'canceled' || type === 'expired' ? `${formatReais(amount)} em crédito` : formatReais(amount)
}

function Entry({ entry }: { entry: HistoryEntry }) {
  const { at, by, planName, billingCycle, amount, detail, type } = entry
  const { label, tone } = historyEntry(type)
  const what = [planName, billingCycleLabels[billingCycle], by].filter(Boolean).join(' · ')
  return (
    <li
      className={cx(
        'relative grid gap-x-4 gap-y-0.5 pb-6 pl-6 last:pb-0 sm:grid-cols-[minmax(0,1fr)_auto]',
        'before:absolute before:top-[19px] before:-bottom-0.5 before:left-1 before:w-px before:bg-line',
        'last:before:hidden',
      )}
    >
      <span aria-hidden="true" className={cx('absolute top-1.5 left-0 size-[9px] rounded-full', dots[tone])} />
      <div className="grid min-w-0 gap-0.5">
        <span className="font-medium">{label}</span>
        <span className="wrap-anywhere text-muted">{what}</span>
        {detail && <span className="max-w-[68ch] wrap-anywhere text-muted">{remarkOf(entry)}</span>}
      </div>
      <div className="flex flex-wrap items-baseline gap-x-3 tabular-nums sm:grid sm:content-start sm:justify-items-end sm:gap-y-0.5">
        {amount != null && <span className="font-medium">{moneyOf(entry, amount)}</span>}
        <time dateTime={at} className="text-label leading-[1.25rem] text-muted">
          {formatDateTime(at)}
        </time>
      </div>
    </li>
  )
}
