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
import { paymentMethods } from '../../../api/payment-methods'
import { dayOf } from '../../../lib/dates'
import { isId } from '../../../lib/ids'
import { counted, optionsOf, paymentStatuses } from '../../../lib/labels'
import { formatMinor } from '../../../lib/money'
import { serverNow, useIsLive } from '../../../live/status'
import { Counters, CountersSkeleton } from '../../../ui/counters'
import { DataArea, settlesFirst } from '../../../ui/data-area'
import { DataTable, readSort, writeSort, type Sort } from '../../../ui/data-table'
import { DayRange, daysOf } from '../../../ui/day-range'
import { FilterSelect } from '../../../ui/filter-select'
import { PaymentIcon } from '../../../ui/icons'
import { ClearFilters, useFound } from '../../../ui/list-filters'
import { Page } from '../../../ui/page'
import { LoadMore } from '../../../ui/pager'
import { SearchField } from '../../../ui/search-field'
import { SkeletonLines } from '../../../ui/skeleton'
import { oneOf, useUrlState, type UrlState } from '../../../ui/url-state'
import { DataAge } from '../data-age'
import { useLiveActivity } from '../live-metrics'
import { SavedViews } from '../saved-views/saved-views'
import { usePlanOptions } from '../use-plan-options'
import { CompanyFilter } from './company-filter'
import { PaymentCharts } from './payment-charts'
import { paymentColumns } from './payment-columns'
import { AdminPaymentSheet } from './payment-sheet'
import { usePaymentsInterval } from './use-interval'

/** A replica may answer them. */
const AGED = [adminKeys.paymentFigures]

export function AdminPaymentsPage() {
  useLiveActivity()
  const url = useUrlState()
  const filter = filterOf(url)
  const shown = url.get('payment')
  return (
    <Page title="Pagamentos">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
        <SavedViews list="payments" />
        <Filters url={url} filter={filter} />
        <Totals filter={filter} />
        <DataAge queryKeys={AGED} />
        <List url={url} filter={filter} />
        <Charts filter={filter} />
      </div>
      {shown !== null && (
        <AdminPaymentSheet
          key={shown}
          paymentId={shown}
          onOpen={(payment) => url.set({ payment })}
          onClose={() => url.set({ payment: '' })}
        />
      )}
    </Page>
  )
}

interface PartProps {
  filter: AdminPaymentFilter
}

function Filters({ url, filter }: PartProps & { url: UrlState }) {
  const plans = usePlanOptions()
  return (
    <search className="flex flex-wrap items-end gap-3">
      <SearchField
        hint="ID, pi_…, CPF, CNPJ ou empresa"
        value={filter.search ?? ''}
        onSearch={(search) => url.set({ search })}
      />
      <FilterSelect
        label="Status"
        all="Todos"
        options={optionsOf(paymentStatuses)}
        value={filter.status}
        onChange={(status) => url.set({ status })}
      />
      <FilterSelect
        label="Forma de pagamento"
        all="Todas"
        options={optionsOf(paymentMethods)}
        value={filter.method}
        onChange={(method) => url.set({ method })}
      />
      <FilterSelect
        label="Plano"
        all="Todos"
        options={plans}
        value={filter.plan}
        onChange={(plan) => url.set({ plan })}
      />
      {filter.company && <CompanyFilter company={filter.company} list={listQuery(url, filter)} onChange={url.set} />}
      <DayRange url={url} max={dayOf(serverNow())} onChange={url.set} />
    </search>
  )
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
            ['Recebido', totals.paid, formatMinor],
            ['Reembolsado', totals.refunded, formatMinor],
          ]}
        />
      )}
    </DataArea>
  )
}

const noFilter = { search: '', status: '', method: '', plan: '', company: '', from: '', to: '' }

function List({ url, filter }: PartProps & { url: UrlState }) {
  const sort = sortOf(url)
  const query = useInfiniteQuery({ ...listQuery(url, filter), refetchInterval: usePaymentsInterval() })
  const payments = query.data?.pages.flatMap((page) => page.payments) ?? []
  const total = query.data?.pages[0]?.total ?? 0
  useFound({ ...filter, sort }, 1, !query.isFetching && query.data && foundText(total))
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
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
        action: isFiltered && <ClearFilters onClear={() => url.set(noFilter)} />,
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
            onSort={(next) => url.set({ sort: writeSort(next) })}
            onOpen={({ id }) => url.set({ payment: id })}
          />
          <LoadMore query={query} className="justify-self-center" />
        </div>
      )}
    </DataArea>
  )
}

function listQuery(url: Pick<UrlState, 'get'>, filter: AdminPaymentFilter) {
  return adminPaymentsQuery(filter, writeSort(sortOf(url)) as AdminPaymentSort)
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

const DEFAULT_SORT = '-createdAt'

/** The newest first, unless the URL names another order that there is. */
function sortOf(url: Pick<UrlState, 'get'>): Sort {
  const wanted = readSort(url.get('sort'), DEFAULT_SORT)
  const isKnown = paymentColumns.some(({ key, sortable }) => sortable && key === wanted.key)
  return isKnown ? wanted : readSort(null, DEFAULT_SORT)
}

/** What the URL names wrongly is no filter. */
export function filterOf(url: Pick<UrlState, 'get'>): AdminPaymentFilter {
  const company = url.get('company')
  return {
    search: url.get('search')?.trim().slice(0, 100) || undefined,
    status: oneOf(paymentStatuses, url.get('status')),
    method: oneOf(paymentMethods, url.get('method')),
    plan: url.get('plan') || undefined,
    company: company !== null && isId(company) ? company : undefined,
    ...daysOf(url),
  }
}
