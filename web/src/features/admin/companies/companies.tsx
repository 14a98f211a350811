// "Empresas": every company, searched and sorted by the server; one opens in a sheet (`?company=`).
import { useCallback } from 'react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { adminCompaniesQuery, plansQuery, type CompanyFilter } from '../../../api/admin'
import { formatReais } from '../../../lib/money'
import { Button } from '../../../ui/button'
import { Counters, CountersSkeleton } from '../../../ui/counters'
import { DataArea } from '../../../ui/data-area'
import { readSort, writeSort } from '../../../ui/data-table'
import { CompanyIcon } from '../../../ui/icons'
import { Page } from '../../../ui/page'
import { Pager } from '../../../ui/pager'
import { SkeletonLines } from '../../../ui/skeleton'
import { CompanySheet, readTab } from './company-sheet'
import { CompanyTable } from './company-table'
import { FilterSelect } from '../../../ui/filter-select'
import { companyStatusLabels } from '../labels'
import { shortMetric } from '../metrics'
import { SearchField } from '../search-field'
import { oneOf, useUrlState } from '../../../ui/url-state'

const LIMIT = 10
const DEFAULT_SORT = '-createdAt'
/** The columns that the server can sort by. */
const SORTS = ['name', 'mrr', 'users', 'createdAt']

export function AdminCompaniesPage() {
  const url = useUrlState()
  const { set, page } = url
  const search = url.get('search') ?? ''
  const status = oneOf(companyStatusLabels, url.get('status'))
  const plan = url.get('plan') ?? undefined
  const wanted = readSort(url.get('sort'), DEFAULT_SORT)
  const sort = SORTS.includes(wanted.key) ? wanted : readSort(null, DEFAULT_SORT)
  const query = useQuery(
    adminCompaniesQuery({ search, status, plan, sort: writeSort(sort) as CompanyFilter['sort'], page, limit: LIMIT }),
  )
  const filter = (change: Record<string, string>) => set({ ...change, page: '' })
  const isFiltered = search !== '' || status !== undefined || plan !== undefined
  const find = useCallback((text: string) => set({ search: text, page: '' }), [set])
  const open = (id: string, tab: string) => set({ company: id, tab, edit: '' })

  return (
    <Page title="Empresas">
      <DataArea query={query} errorTitle="Erro ao carregar empresas" skeleton={<PageSkeleton />}>
        {({ companies, total, summary }) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
            <Counters
              counters={[
                ['Total de empresas', summary.total],
                ['Empresas ativas', summary.active],
                ['MRR', summary.mrr, (value) => shortMetric('money', value), formatReais],
                ['Suspensas', summary.suspended],
              ]}
            />
            <search className="flex flex-wrap items-end gap-3">
              <SearchField hint="Nome, email ou descrição" value={search} onSearch={find} />
              <FilterSelect
                label="Status"
                all="Todos"
                options={Object.entries(companyStatusLabels)}
                value={status}
                onChange={(value) => filter({ status: value })}
              />
              <PlanFilter value={plan} onChange={(value) => filter({ plan: value })} />
            </search>
            <CompanyTable
              companies={companies}
              sort={sort}
              onSort={(next) => filter({ sort: writeSort(next) === DEFAULT_SORT ? '' : writeSort(next) })}
              onOpen={open}
              onEdit={(id) => set({ company: id, tab: '', edit: '1' })}
              empty={{
                icon: CompanyIcon,
                text: 'Nenhuma empresa encontrada',
                action: isFiltered && (
                  <Button variant="secondary" onClick={() => filter({ search: '', status: '', plan: '' })}>
                    Limpar filtros
                  </Button>
                ),
              }}
            />
            <Pager page={page} total={total} limit={LIMIT} onPage={url.setPage} />
          </div>
        )}
      </DataArea>
      <CompanySheet
        companyId={url.get('company')}
        tab={readTab(url.get('tab'))}
        isEditing={url.get('edit') !== null}
        onTab={(tab) => set({ tab: tab === 'data' ? '' : tab })}
        onEdit={(on) => set({ edit: on ? '1' : '' })}
        onClose={() => set({ company: '', tab: '', edit: '' })}
      />
    </Page>
  )
}

/** Plans that are no longer sold still run in companies. */
function PlanFilter({ value, onChange }: { value: string | undefined; onChange: (plan: string) => void }) {
  const { data } = useInfiniteQuery(plansQuery('all', 100))
  const plans = data?.pages.flatMap(({ plans }) => plans) ?? []
  const options = [
    ...plans.map(({ name, displayName }) => [name, displayName] as const),
    ['none', 'Sem assinatura'] as const,
  ]
  return <FilterSelect label="Plano" all="Todos" options={options} value={value} onChange={onChange} />
}

function PageSkeleton() {
  return (
    <div className="grid gap-6">
      <CountersSkeleton />
      <SkeletonLines count={12} />
    </div>
  )
}
