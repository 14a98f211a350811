// "Pagamentos": the payments of every company, searched and filtered by the server, with what the filter adds up to; one
// of them opens in a sheet (`?payment=`).
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { adminKeys } from '../../../api/admin'
import {
  adminPaymentsQuery,
  paymentFiguresQuery,
  type AdminPaymentFilter,
  type AdminPaymentSort,
} from '../../../api/admin-payments'
import { paymentFilterOf, paymentSelects } from '../../../api/payment-filter'
import { dayOf } from '../../../lib/dates'
import { isId } from '../../../lib/ids'
import { counted } from '../../../lib/labels'
import { formatMinor, toReais } from '../../../lib/money'
import { serverNow } from '../../../live/server-clock'
import { useIsLive } from '../../../live/status'
import { Counters, CountersSkeleton } from '../../../ui/counters'
import { DataArea, settlesFirst } from '../../../ui/data-area'
import { DataTable, writeSort } from '../../../ui/data-table'
import { PaymentIcon } from '../../../ui/icons'
import { ClearFilters, FilterBar, useAnnounceFound, useListFilters, type ListFilters } from '../../../ui/list-filters'
import { Page } from '../../../ui/page'
import { LoadMore } from '../../../ui/pager'
import { SkeletonLines } from '../../../ui/skeleton'
import type { UrlState } from '../../../ui/url-state'
import { DataAge } from '../data-age'
import { useLiveActivity } from '../live-metrics'
import { shortMetric } from '../metrics'
import { sortInAddress, sortOf } from '../record-list'
import { SavedViews } from '../saved-views/saved-views'
import { usePlanOptions } from '../use-plan-options'
import { CompanyFilter } from './company-filter'
import { PaymentCharts } from './payment-charts'
import { paymentColumns } from './payment-columns'
import { AdminPaymentSheet } from './payment-sheet'
import { usePaymentsInterval } from './use-payments-interval'

/** The columns that the server can sort by. */
const SORTS = ['createdAt', 'amount'] as const

/** A replica may answer them. */
const AGED = [adminKeys.paymentFigures]

export function AdminPaymentsPage() {
  useLiveActivity()
  const plans = usePlanOptions()
  const filters = useListFilters(filterOf)
  const { url, filter } = filters
  const shown = url.get('payment')
  return (
    <Page title="Pagamentos">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
        <SavedViews list="payments" />
        <FilterBar
          filters={filters}
          search={{ hint: 'Empresa, email, CPF, CNPJ, recibo ou ID', value: filter.search }}
          selects={[
            ...paymentSelects(filter),
            { name: 'plan', label: 'Plano', all: 'Todos', options: plans, value: filter.plan },
          ]}
          lastDay={dayOf(serverNow())}
        >
          {filter.company && (
            <CompanyFilter company={filter.company} list={listQuery(url, filter)} onChange={url.set} />
          )}
        </FilterBar>
        <Totals filter={filter} />
        <List filters={filters} />
        <Charts filter={filter} />
        {/* It comes and goes, and moves nothing here. */}
        <DataAge queryKeys={AGED} />
      </div>
      {shown !== null && (
        <AdminPaymentSheet
          key={shown}
          paymentId={shown}
          onOpen={(payment) => url.open({ payment })}
          onClose={() => url.set({ payment: '' })}
        />
      )}
    </Page>
  )
}

interface PartProps {
  filter: AdminPaymentFilter
}

function Totals({ filter }: PartProps) {
  const query = useQuery({ ...paymentFiguresQuery(filter), refetchInterval: usePaymentsInterval() })
  return (
    <DataArea
      query={query}
      live={useIsLive()}
      errorTitle="Erro ao somar os pagamentos"
      skeleton={<CountersSkeleton />}
      className={settlesFirst}
    >
      {({ totals }) => (
        <Counters
          counters={[
            ['Pagamentos', totals.count],
            ['Aprovados', totals.succeeded],
            ['Recebido', totals.paid, shortMinor, formatMinor],
            ['Reembolsado', totals.refunded, shortMinor, formatMinor],
          ]}
        />
      )}
    </DataArea>
  )
}

/** As a card has room for. */
const shortMinor = (minor: number) => shortMetric('money', toReais(minor))

function List({ filters: { url, filter, isFiltered, clear } }: { filters: ListFilters<AdminPaymentFilter> }) {
  const sort = sortOf(url, SORTS)
  const query = useInfiniteQuery({ ...listQuery(url, filter), refetchInterval: usePaymentsInterval() })
  const payments = query.data?.pages.flatMap((page) => page.payments) ?? []
  const total = query.data?.pages[0]?.total ?? 0
  useAnnounceFound({ ...filter, sort }, 1, !query.isFetching && query.data && foundText(total))
  return (
    <DataArea
      query={query}
      live={useIsLive()}
      errorTitle="Erro ao carregar pagamentos"
      skeleton={<SkeletonLines count={12} />}
      className={settlesFirst}
      isEmpty={() => payments.length === 0}
      empty={{
        icon: PaymentIcon,
        text: 'Nenhum pagamento encontrado',
        action: isFiltered && <ClearFilters onClear={clear} />,
      }}
    >
      {() => (
        <div className="grid grid-cols-[minmax(0,1fr)] justify-items-stretch gap-3">
          <p className="text-muted tabular-nums">{foundText(total)}</p>
          <DataTable
            caption="Pagamentos de todas as empresas"
            columns={paymentColumns}
            rows={payments}
            rowKey={({ id }) => id}
            sort={sort}
            onSort={(next) => url.set({ sort: sortInAddress(next) })}
            onOpen={({ id }) => url.open({ payment: id })}
          />
          <LoadMore query={query} className="justify-self-center" />
        </div>
      )}
    </DataArea>
  )
}

function listQuery(url: Pick<UrlState, 'get'>, filter: AdminPaymentFilter) {
  return adminPaymentsQuery(filter, writeSort(sortOf(url, SORTS)) as AdminPaymentSort)
}

/** The server counts no further. */
const MOST_COUNTED = 10_000

export function foundText(total: number): string {
  const text = counted(total, 'pagamento', 'pagamentos', 'Nenhum')
  return total >= MOST_COUNTED ? `Mais de ${text}` : text
}

function Charts({ filter }: PartProps) {
  const query = useQuery({ ...paymentFiguresQuery(filter), refetchInterval: usePaymentsInterval() })
  if (query.data === undefined) return null
  return <PaymentCharts figures={query.data} />
}

/** What the URL names wrongly is no filter. */
export function filterOf(url: Pick<UrlState, 'get'>): AdminPaymentFilter {
  const plan = url.get('plan')
  const company = url.get('company')
  return { ...paymentFilterOf(url), ...(plan && { plan }), ...(company && isId(company) && { company }) }
}
