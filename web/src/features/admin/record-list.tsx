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
import { ClearFilters, FilterBar, usePagedList, type ListFilters } from '../../ui/list-filters'
import { Page } from '../../ui/page'
import { Pager } from '../../ui/pager'
import { SkeletonLines } from '../../ui/skeleton'
import type { Address } from '../../ui/url-state'
import { DataAge } from './data-age'
import { SavedViews } from './saved-views/saved-views'

const LIMIT = 10
const DEFAULT_SORT = '-createdAt'

/** The newest first, unless the URL names another order that there is. */
export function sortOf(address: Pick<Address, 'get'>, sorts: readonly string[]): Sort {
  const wanted = readSort(address.get('sort'), DEFAULT_SORT)
  return sorts.includes(wanted.key) ? wanted : readSort(null, DEFAULT_SORT)
}

/** The order as the address names it: the newest first has no name there. */
export function sortInAddress(sort: Sort): string {
  const text = writeSort(sort)
  return text === DEFAULT_SORT ? '' : text
}

/** The call that the address asks for. `sorts`: the columns that the server can sort by. */
export function listRequestOf<S extends string, Filter extends object>(
  address: Address,
  sorts: readonly S[],
  filter: Filter,
): Filter & { sort: S | `-${S}`; page: number; limit: number } {
  return { ...filter, sort: writeSort(sortOf(address, sorts)) as S, page: address.page, limit: LIMIT }
}

interface RecordListPageProps<Data extends { total: number }, Row extends { id: string }> {
  title: string
  /** Whose saved views stand above. */
  list: ViewedList
  filters: ListFilters<{ search?: string }>
  /** Of `listRequestOf`. */
  request: { sort: string }
  query: AreaQuery<Data>
  /** Of the query. */
  queryKeys: readonly QueryKey[]
  errorTitle: string
  counters: (data: Data) => CounterSpec[]
  searchHint: string
  /** Their names in the URL, labels, options and values. */
  selects: readonly ({ name: string } & Pick<FilterSelectProps, 'label' | 'options' | 'value'>)[]
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
  filters,
  request,
  query,
  queryKeys,
  errorTitle,
  counters,
  searchHint,
  selects,
  columns,
  rows,
  renderActions,
  onOpen,
  empty,
  children,
}: RecordListPageProps<Data, Row>) {
  const { url, filter, isFiltered, change, clear } = filters
  usePagedList({ url, filter: request }, LIMIT, query, ['registro', 'registros', 'Nenhum'])
  return (
    <Page title={title}>
      <SavedViews list={list} />
      {/* Whatever became of the call: a filter that failed can be taken back. */}
      <FilterBar
        filters={filters}
        search={{ hint: searchHint, value: filter.search }}
        selects={selects.map((select) => ({ all: 'Todos', ...select }))}
      />
      <DataArea query={query} errorTitle={errorTitle} skeleton={<ListSkeleton />}>
        {(data) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
            <Counters counters={counters(data)} />
            {data.total === 0 ? (
              <EmptyArea {...empty} action={isFiltered && <ClearFilters onClear={clear} />} />
            ) : (
              <DataTable
                caption={title}
                columns={columns}
                rows={rows(data)}
                rowKey={({ id }) => id}
                sort={readSort(request.sort, DEFAULT_SORT)}
                onSort={(next) => change({ sort: sortInAddress(next) })}
                renderActions={renderActions}
                onOpen={onOpen}
              />
            )}
            <Pager page={url.page} total={data.total} limit={LIMIT} onPage={url.setPage} />
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
