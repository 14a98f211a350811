// "Empresas": every company, searched and sorted by the server; one opens in a sheet (`?company=`).
import { useQuery, type QueryClient } from '@tanstack/react-query'
import { adminCompaniesQuery, adminKeys } from '../../../api/admin'
import { optionsOf } from '../../../lib/labels'
import { formatReais } from '../../../lib/money'
import { AnalyticsIcon, CompanyIcon, EditIcon, UsersIcon, ViewIcon } from '../../../ui/icons'
import { searchOf, useListFilters } from '../../../ui/list-filters'
import { oneOf, type Address } from '../../../ui/url-state'
import { companyStatuses } from '../labels'
import { shortMetric } from '../metrics'
import { listRequestOf, RecordListPage } from '../record-list'
import { RowAction } from '../row-action'
import { usePlanOptions } from '../use-plan-options'
import { companyColumns } from './company-columns'
import { CompanySheet, readTab, type CompanyTab } from './company-sheet'

const SHOWN = [adminKeys.companyLists]
const SORTS = ['name', 'plan', 'subscription', 'mrr', 'users', 'revenue', 'createdAt'] as const

function filterOf(address: Address) {
  const status = oneOf(companyStatuses, address.get('status'))
  const plan = address.get('plan')
  return { ...(status && { status }), ...(plan && { plan }), ...searchOf(address) }
}

AdminCompaniesPage.prefetch = (queries: QueryClient, address: Address) =>
  void queries.prefetchQuery(adminCompaniesQuery(listRequestOf(address, SORTS, filterOf(address))))

export function AdminCompaniesPage() {
  const filters = useListFilters(filterOf)
  const { url, filter } = filters
  const { set } = url
  const request = listRequestOf(url, SORTS, filter)
  const query = useQuery(adminCompaniesQuery(request))
  const plans = usePlanOptions()
  const shown = url.get('company')
  const open = (company: string, tab: CompanyTab | '') => url.open({ company, tab, edit: '' })

  return (
    <RecordListPage
      title="Empresas"
      list="companies"
      filters={filters}
      request={request}
      query={query}
      queryKeys={SHOWN}
      errorTitle="Erro ao carregar empresas"
      counters={({ summary }) => [
        ['Total de empresas', summary.total],
        ['Empresas ativas', summary.active],
        ['MRR', summary.mrr, (value) => shortMetric('money', value), formatReais],
        ['Suspensas', summary.suspended],
      ]}
      searchHint="Nome, CPF ou CNPJ, email, descrição ou ID"
      selects={[
        { name: 'status', label: 'Status', options: optionsOf(companyStatuses), value: filter.status },
        { name: 'plan', label: 'Plano', options: [...plans, ['none', 'Sem assinatura']], value: filter.plan },
      ]}
      columns={companyColumns}
      rows={({ companies }) => companies}
      onOpen={({ id }) => open(id, '')}
      renderActions={({ id, name }) => (
        <>
          <RowAction label={`Ver ${name}`} icon={ViewIcon} onClick={() => open(id, '')} />
          <RowAction
            label={`Editar ${name}`}
            icon={EditIcon}
            onClick={() => url.open({ company: id, tab: '', edit: '1' })}
          />
          <RowAction label={`Analytics de ${name}`} icon={AnalyticsIcon} onClick={() => open(id, 'analytics')} />
          <RowAction label={`Gerenciar usuários de ${name}`} icon={UsersIcon} onClick={() => open(id, 'members')} />
        </>
      )}
      empty={{ icon: CompanyIcon, text: 'Nenhuma empresa encontrada' }}
    >
      {shown !== null && (
        <CompanySheet
          key={shown}
          companyId={shown}
          tab={readTab(url.get('tab'))}
          isEditing={url.get('edit') !== null}
          onTab={(tab) => set({ tab: tab === 'data' ? '' : tab })}
          onEdit={(on) => set({ edit: on ? '1' : '' })}
          onClose={() => set({ company: '', tab: '', edit: '' })}
        />
      )}
    </RecordListPage>
  )
}
