// "Registro de atividades": who did what in the company, filtered by the URL, page by page, and as a file. For the
// company's admins.
import { useQuery } from '@tanstack/react-query'
import { actKinds, actText } from '../../api/audit-words'
import { companyQuery, type Company } from '../../api/companies'
import {
  companyAuditQuery,
  exportCompanyAudit,
  type CompanyAuditEntry,
  type CompanyAuditFilter,
} from '../../api/company-audit'
import { ExportButton } from '../../api/export-button'
import { CompanyPage } from '../../auth/company-page'
import { dayOf } from '../../lib/dates'
import { isId } from '../../lib/ids'
import { byName } from '../../lib/names'
import { serverNow } from '../../live/server-clock'
import { dateColumn, TwoLines } from '../../ui/columns'
import { DataArea } from '../../ui/data-area'
import { DataTable, type Column } from '../../ui/data-table'
import { daysOf } from '../../ui/day-range'
import { LogIcon } from '../../ui/icons'
import { ClearFilters, FilterBar, useListFilters, usePagedList } from '../../ui/list-filters'
import { Pager } from '../../ui/pager'
import { saveCsv } from '../../ui/save-file'
import { SkeletonRows } from '../../ui/skeleton'
import { oneOf, type UrlState } from '../../ui/url-state'
import { actorText, detailText, targetText, toCsv } from './audit-text'

const LIMIT = 20
const skeleton = <SkeletonRows className="h-40 sm:h-10" />

export function AuditLogPage() {
  return (
    <CompanyPage
      title="Registro de atividades"
      subtitle="Quem fez o quê na empresa"
      skeleton={skeleton}
      mayRead={({ userRole }) => userRole === 'admin'}
    >
      {(company) => <AuditLog company={company} />}
    </CompanyPage>
  )
}

function AuditLog({ company }: { company: Company }) {
  const filters = useListFilters(filterOf)
  const { url, filter, isFiltered, clear } = filters
  const members = useQuery(companyQuery(company.id))
  const query = useQuery(companyAuditQuery(company.id, filter, url.page, LIMIT))
  usePagedList(filters, LIMIT, query, ['atividade', 'atividades', 'Nenhuma'])
  const byNames = (members.data?.users ?? []).toSorted((one, other) => byName(one.userName, other.userName))
  const people = byNames.map(({ userId, userName }) => [userId, userName] as const)
  return (
    <>
      <FilterBar
        filters={filters}
        selects={[
          { name: 'actor', label: 'Pessoa', all: 'Todas', options: people, value: filter.actor },
          { name: 'action', label: 'Tipo', all: 'Todos', options: Object.entries(actKinds), value: filter.action },
        ]}
        lastDay={dayOf(serverNow())}
      >
        <ExportButton
          save={async () =>
            saveCsv(`atividades-${dayOf(serverNow())}.csv`, toCsv(await exportCompanyAudit(company.id, filter)))
          }
          failedTitle="Erro ao exportar os dados"
          disabled={!query.data?.total}
        />
      </FilterBar>
      <DataArea
        query={query}
        errorTitle="Erro ao carregar registro de atividades"
        skeleton={skeleton}
        isEmpty={({ total }) => total === 0}
        empty={{
          icon: LogIcon,
          text: 'Nenhuma atividade encontrada',
          action: isFiltered && <ClearFilters onClear={clear} />,
        }}
      >
        {({ entries, total }) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
            <DataTable caption="Registro de atividades" columns={columns} rows={entries} rowKey={({ id }) => id} />
            <Pager page={url.page} total={total} limit={LIMIT} onPage={url.setPage} />
          </div>
        )}
      </DataArea>
    </>
  )
}

const columns: Column<CompanyAuditEntry>[] = [
  dateColumn(({ at }) => at),
  { key: 'by', label: 'Quem', cell: (entry) => <span className="wrap-anywhere">{actorText(entry)}</span> },
  {
    key: 'action',
    label: 'Atividade',
    cell: (entry) => (
      <TwoLines note={detailText(entry)} className="wrap-anywhere">
        {actText(entry.action)}
      </TwoLines>
    ),
  },
  {
    key: 'target',
    label: 'Sobre',
    cell: ({ target }) => <span className="wrap-anywhere">{targetText(target) || '—'}</span>,
  },
]

/** What the URL names wrongly is no filter. */
function filterOf(url: UrlState): CompanyAuditFilter {
  const action = oneOf(actKinds, url.get('action'))
  const actor = url.get('actor')
  return { ...daysOf(url), ...(actor && isId(actor) && { actor }), ...(action && { action }) }
}
