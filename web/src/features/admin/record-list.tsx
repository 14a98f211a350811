// A page of the platform admin that lists records of one kind, ten at a time: search, filters, counters, a sorted
// table. What is asked for lives in the URL. The server searches, filters and sorts.
import type { ReactNode } from 'react'
import type { QueryKey } from '@tanstack/react-query'
import type { ViewedList } from '../../api/saved-views'
import { Counters, CountersSkeleton, type CounterSpec } from '../../ui/counters'
import { DataArea, EmptyArea, type AreaQuery } from '../../ui/data-area'
import { DataTable, readSort, writeSort, type Column, type Sort } from '../../ui/data-table'
import type { FilterSelectProps } from '../../ui/filter-select'
import type { Icon } from '../../ui/icons'
import { ClearFilters, FilterBar, searchOf, useFoundPage } from '../../ui/list-filters'
import { Page } from '../../ui/page'
import { Pager } from '../../ui/pager'
import { SkeletonLines } from '../../ui/skeleton'
import { useUrlState, type Address, type UrlState } from '../../ui/url-state'
import { DataAge } from './data-age'
import { SavedViews } from './saved-views/saved-views'

const LIMIT = 10
const DEFAULT_SORT = '-createdAt'

interface ListRequest {
  search: string
  page: number
}

type Filters = Record<string, string | undefined>

export interface Listing<A extends ListRequest, F extends Filters> {
  /** What the server is asked for. */
  request: A
  filters: F
  sort: Sort
  isFiltered: boolean
  /** Writes search, filters or sort into the URL; the list then begins at its first page. */
  change: (names: Record<string, string>) => void
  clear: () => void
  setPage: (page: number) => void
}

/** The newest first, unless the URL names another order that there is. */
export function sortOf(address: Pick<Address, 'get'>, sorts: readonly string[]): Sort {
  const wanted = readSort(address.get('sort'), DEFAULT_SORT)
  return sorts.includes(wanted.key) ? wanted : readSort(null, DEFAULT_SORT)
}

/**
 * The call that the address asks for. `sorts`: the columns that the server can sort by. `filters`: their values in the
 * URL, by their names there.
 */
export function listRequestOf<S extends string, F extends Filters>(
  address: Address,
  sorts: readonly S[],
  filters: F,
): F & ListRequest & { sort: S | `-${S}`; limit: number } {
  return {
    ...filters,
    search: searchOf(address).search ?? '',
    sort: writeSort(sortOf(address, sorts)) as S,
    page: address.page,
    limit: LIMIT,
  }
}

/** The same with the ways to change it. */
export function listingOf<S extends string, F extends Filters>(
  url: UrlState,
  sorts: readonly S[],
  filters: F,
): Listing<F & ListRequest & { sort: S | `-${S}`; limit: number }, F> {
  const request = listRequestOf(url, sorts, filters)
  const change = (names: Record<string, string>) => url.set({ ...names, page: '' })
  return {
    request,
    filters,
    sort: readSort(request.sort, DEFAULT_SORT),
    isFiltered: request.search !== '' || Object.values(filters).some((value) => value !== undefined),
    change,
    clear: () => change({ search: '', ...Object.fromEntries(Object.keys(filters).map((name) => [name, ''])) }),
    setPage: url.setPage,
  }
}

export interface RecordListPageProps<Data extends { total: number }, Row extends { id: string }> {
  title: string
  /** Whose saved views stand above. */
  list: ViewedList
  listing: Listing<ListRequest, Filters>
  query: AreaQuery<Data>
  /** Of the query. */
  queryKeys: readonly QueryKey[]
  errorTitle: string
  counters: (data: Data) => CounterSpec[]
  searchHint: string
  /** Their names in the URL, labels and options. */
  filters: readonly ({ name: string } & Pick<FilterSelectProps, 'label' | 'options'>)[]
  columns: readonly Column<Row>[]
  rows: (data: Data) => readonly Row[]
  renderActions: (row: Row) => ReactNode
  /** What a press on the row does. */
  onOpen: (row: Row) => void
  empty: { icon: Icon; text: string }
  /** What is opened beside the list. */
  children: ReactNode
}

export function RecordListPage<Data extends { total: number }, Row extends { id: string }>({
  title,
  list,
  listing,
  query,
  queryKeys,
  errorTitle,
  counters,
  searchHint,
  filters,
  columns,
  rows,
  renderActions,
  onOpen,
  empty,
  children,
}: RecordListPageProps<Data, Row>) {
  const { request, sort, change } = listing
  const url = useUrlState()
  useFoundPage({ url, filter: request }, LIMIT, query, ['registro', 'registros', 'Nenhum'])
  return (
    <Page title={title}>
      <SavedViews list={list} />
      {/* Whatever became of the call: a filter that failed can be taken back. */}
      <FilterBar
        filters={{ url, change }}
        search={{ hint: searchHint, value: request.search }}
        selects={filters.map((select) => ({ all: 'Todos', value: listing.filters[select.name], ...select }))}
      />
      <DataArea query={query} errorTitle={errorTitle} skeleton={<ListSkeleton />}>
        {(data) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
            <Counters counters={counters(data)} />
            {data.total === 0 ? (
              <EmptyArea {...empty} action={listing.isFiltered && <ClearFilters onClear={listing.clear} />} />
            ) : (
              <DataTable
                caption={title}
                columns={columns}
                rows={rows(data)}
                rowKey={({ id }) => id}
                sort={sort}
                onSort={(next) => change({ sort: writeSort(next) === DEFAULT_SORT ? '' : writeSort(next) })}
                renderActions={renderActions}
                onOpen={onOpen}
              />
            )}
            <Pager page={request.page} total={data.total} limit={LIMIT} onPage={listing.setPage} />
            <DataAge queryKeys={queryKeys} />
          </div>
        )}
      </DataArea>
      {children}
    </Page>
  )
}

function ListSkeleton() {
  return (
    <div className="grid gap-6">
      <CountersSkeleton />
      <SkeletonLines count={12} />
    </div>
  )
}
