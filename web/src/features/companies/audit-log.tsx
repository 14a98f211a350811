// "Registro de atividades": who did what in the company, filtered by the URL, page by page, and as a file. For the
// company's admins.
import { useQuery } from '@tanstack/react-query'
import { companyQuery, type Company } from '../../api/companies'
import { companyAuditQuery, exportCompanyAudit, type LogEntry, type LogFilter } from '../../api/company-audit'
import { ExportButton } from '../../api/export-button'
import { CompanyPage } from '../../auth/company-page'
import { actKinds, actText } from '../../lib/audit-words'
import { dayOf, formatDateTime } from '../../lib/dates'
import { serverNow } from '../../live/status'
import { Button } from '../../ui/button'
import { DataArea } from '../../ui/data-area'
import { DataTable, type Column } from '../../ui/data-table'
import { DayRange, daysOf } from '../../ui/day-range'
import { FilterSelect } from '../../ui/filter-select'
import { DownloadIcon, LockIcon } from '../../ui/icons'
import { Pager } from '../../ui/pager'
import { saveCsv } from '../../ui/save-file'
import { SkeletonRows } from '../../ui/skeleton'
import { oneOf, useUrlState, type UrlState } from '../../ui/url-state'
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
  const url = useUrlState()
  const filter = filterOf(url)
  const change = (next: Record<string, string>) => url.set({ ...next, page: '' })
  const members = useQuery(companyQuery(company.id))
  const query = useQuery(companyAuditQuery(company.id, filter, url.page, LIMIT))
  const clear = (
    <Button variant="secondary" onClick={() => change({ actor: '', action: '', from: '', to: '' })}>
      Limpar filtros
    </Button>
  )
  return (
    <>
      <search className="flex flex-wrap items-end gap-3">
        <FilterSelect
          label="Pessoa"
          all="Todas"
          options={(members.data?.users ?? []).map(({ userId, userName }) => [userId, userName])}
          value={filter.actor}
          onChange={(actor) => change({ actor })}
        />
        <FilterSelect
          label="Tipo"
          all="Todos"
          options={Object.entries(actKinds)}
          value={filter.action}
          onChange={(action) => change({ action })}
        />
        <DayRange url={url} max={dayOf(serverNow())} onChange={change} />
        <ExportButton
          save={async () =>
            saveCsv(`atividades-${dayOf(serverNow())}.csv`, toCsv(await exportCompanyAudit(company.id, filter)))
          }
          failedTitle="Erro ao exportar os dados"
          disabled={!query.data?.total}
          icon={<DownloadIcon />}
        />
      </search>
      <DataArea
        query={query}
        errorTitle="Erro ao carregar registro de atividades"
        skeleton={skeleton}
        isEmpty={({ entries }) => entries.length === 0}
        empty={{
          icon: LockIcon,
          text: 'Nenhuma atividade encontrada',
          action: Object.keys(filter).length > 0 && clear,
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

const columns: Column<LogEntry>[] = [
  {
    key: 'at',
    label: 'Data',
    narrow: true,
    cell: ({ at }) => (
      <time dateTime={at} className="whitespace-nowrap tabular-nums">
        {formatDateTime(at)}
      </time>
    ),
  },
  { key: 'by', label: 'Quem', cell: (entry) => <span className="wrap-anywhere">{actorText(entry)}</span> },
  {
    key: 'action',
    label: 'Atividade',
    cell: (entry) => (
      <span className="grid min-w-0 gap-0.5 max-sm:justify-items-end max-sm:text-right">
        <span className="wrap-anywhere">{actText(entry.action)}</span>
        {detailText(entry) && <span className="text-label wrap-anywhere text-muted">{detailText(entry)}</span>}
      </span>
    ),
  },
  {
    key: 'target',
    label: 'Sobre',
    cell: ({ target }) => <span className="wrap-anywhere">{targetText(target) || '—'}</span>,
  },
]

/** What the URL names wrongly is no filter. */
function filterOf(url: UrlState): LogFilter {
  const action = oneOf(actKinds, url.get('action'))
  const actor = url.get('actor')
  return { ...daysOf(url), ...(actor && /^[0-9a-f-]{36}$/.test(actor) && { actor }), ...(action && { action }) }
}
