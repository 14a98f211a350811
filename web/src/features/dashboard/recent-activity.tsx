// "Atividade recente": the newest movements of the subscription and, for those who may read them, the payments, merged
// by time.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { maySeeMoney, type Company } from '../../api/companies'
import { methodLabel } from '../../api/payment-methods'
import { paymentsQuery, type Payment } from '../../api/payments'
import { historyQuery, type HistoryEntry } from '../../api/subscriptions'
import { paymentPath } from '../../lib/paths'
import { formatDateTime } from '../../lib/dates'
import { historyEntry, worthOf } from '../../lib/labels'
import { formatMinor } from '../../lib/money'
import { useIsLive } from '../../live/status'
import { Card, CardHeader } from '../../ui/card'
import { DataArea, settlesFirst, type AreaQuery } from '../../ui/data-area'
import { PaymentIcon, PendingIcon, SubscriptionIcon } from '../../ui/icons'
import { PaymentStatusBadge } from '../../ui/payment-status-badge'
import { SkeletonLines } from '../../ui/skeleton'

const SHOWN = 10

type Activity =
  | { at: string; payment: Payment; entry?: undefined }
  | { at: string; entry: HistoryEntry; payment?: undefined }

export function RecentActivity({ company }: { company: Company }) {
  return (
    <Card className={settlesFirst}>
      <CardHeader title="Atividade recente" />
      {maySeeMoney(company) ? <MovementsAndPayments company={company} /> : <Movements company={company} />}
    </Card>
  )
}

function Movements({ company }: { company: Company }) {
  const history = useInfiniteQuery(historyQuery(company.id))
  return <ActivityArea query={history}>{(entries) => newest(entries, [])}</ActivityArea>
}

function MovementsAndPayments({ company }: { company: Company }) {
  const history = useInfiniteQuery(historyQuery(company.id))
  const payments = useQuery(paymentsQuery(company.id, {}, 1, SHOWN))
  const both = together(history, payments)
  return <ActivityArea query={both}>{([entries, page]) => newest(entries, page.payments)}</ActivityArea>
}

function newest(entries: HistoryEntry[], payments: Payment[]): Activity[] {
  const all: Activity[] = [
    ...entries.map((entry) => ({ at: entry.at, entry })),
    ...payments.map((payment) => ({ at: payment.createdAt, payment })),
  ]
  return all.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at)).slice(0, SHOWN)
}

/** Two calls as one area: there when both are, refused when one is. */
function together<A, B>(one: AreaQuery<A>, other: AreaQuery<B>): AreaQuery<[A, B]> {
  const ready = one.data !== undefined && other.data !== undefined
  return {
    data: ready ? [one.data as A, other.data as B] : undefined,
    error: one.error ?? other.error,
    isPending: !ready && !one.error && !other.error,
    isFetching: one.isFetching || other.isFetching,
    dataUpdatedAt: Math.min(one.dataUpdatedAt, other.dataUpdatedAt),
    refetch: () => Promise.all([one.refetch(), other.refetch()]),
  }
}

interface ActivityAreaProps<T> {
  query: AreaQuery<T>
  children: (data: T) => Activity[]
}

function ActivityArea<T>({ query, children: activitiesOf }: ActivityAreaProps<T>) {
  return (
    <DataArea
      query={query}
      errorTitle="Erro ao carregar atividade recente"
      skeleton={<SkeletonLines count={5} />}
      isEmpty={(data) => activitiesOf(data).length === 0}
      empty={{ icon: PendingIcon, text: 'Nenhuma atividade recente' }}
      live={useIsLive()}
    >
      {(data) => (
        <ol role="list" className="grid">
          {activitiesOf(data).map(({ at, entry, payment }) => (
            <li
              key={entry?.id ?? payment?.id}
              className="flex items-start gap-x-3 gap-y-0.5 border-b border-line py-3 max-sm:flex-wrap first:pt-0 last:border-0 last:pb-0"
            >
              {entry ? <Movement entry={entry} /> : <PaymentRow payment={payment} />}
              <time
                dateTime={at}
                className="shrink-0 text-label/[1.25rem] text-muted tabular-nums max-sm:basis-full max-sm:pl-7"
              >
                {formatDateTime(at)}
              </time>
            </li>
          ))}
        </ol>
      )}
    </DataArea>
  )
}

function Movement({ entry: { type, planName, by } }: { entry: HistoryEntry }) {
  return (
    <>
      <SubscriptionIcon className="mt-0.5 size-4 shrink-0 text-muted" />
      <div className="grid min-w-0 flex-1">
        <span className="font-medium">{historyEntry(type).label}</span>
        <span className="wrap-anywhere text-muted">{[planName, by].filter(Boolean).join(' · ')}</span>
      </div>
    </>
  )
}

function PaymentRow({ payment }: { payment: Payment }) {
  const { id, currency, paymentMethod, status } = payment
  return (
    <>
      <PaymentIcon className="mt-0.5 size-4 shrink-0 text-muted" />
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
        <Link className="link tabular-nums" to={paymentPath(id)}>
          Pagamento de {formatMinor(worthOf(payment), currency)}
        </Link>
        <span className="text-muted">{methodLabel(paymentMethod)}</span>
        <PaymentStatusBadge status={status} />
      </div>
    </>
  )
}
