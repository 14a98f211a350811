// The page "Faturas": every document of the company, filtered by the URL, newest first, and as a file. Admins and
// finance only.
import { Link } from 'react-router'
import { useQuery } from '@tanstack/react-query'
import { maySeeMoney, type Company } from '../../api/companies'
import { ExportButton } from '../../api/export-button'
import { invoicesQuery, methodText, numberText, planText, type Invoice } from '../../api/invoices'
import { CompanyPage } from '../../auth/company-page'
import { dayOf, formatDate } from '../../lib/dates'
import { counted, optionsOf } from '../../lib/labels'
import { formatMinor } from '../../lib/money'
import { invoicePath } from '../../lib/paths'
import { serverNow } from '../../live/server-clock'
import { useIsLive } from '../../live/status'
import { Badge } from '../../ui/badge'
import { buttonClass } from '../../ui/button'
import { dateColumn } from '../../ui/columns'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { DataTable, type Column } from '../../ui/data-table'
import { InvoiceIcon } from '../../ui/icons'
import { ClearFilters, FilterBar, useKindFilters, usePagedList } from '../../ui/list-filters'
import { Pager } from '../../ui/pager'
import { SkeletonRows } from '../../ui/skeleton'
import { downloadInvoices } from './invoices-csv'
import { invoiceKinds, NOT_FISCAL } from './words'
import { YearButton } from './year-button'

const LIMIT = 20
const skeleton = <SkeletonRows className="h-44 sm:h-10" />

export function InvoicesPage() {
  return (
    <CompanyPage
      title="Faturas"
      subtitle="Recibos de pagamentos e reembolsos, e demonstrativos do que o crédito pagou"
      skeleton={skeleton}
      mayRead={maySeeMoney}
    >
      {(company) => <CompanyInvoices company={company} />}
    </CompanyPage>
  )
}

function CompanyInvoices({ company }: { company: Company }) {
  const filters = useKindFilters(invoiceKinds)
  const { url, filter, isFiltered, clear } = filters
  const query = useQuery(invoicesQuery(company.id, filter, url.page, LIMIT))
  usePagedList(filters, LIMIT, query, ['documento', 'documentos', 'Nenhum'])
  return (
    <>
      <FilterBar
        filters={filters}
        search={{ hint: 'Número, plano, forma de pagamento ou valor', value: filter.search }}
        selects={[{ name: 'kind', label: 'Tipo', all: 'Todos', options: optionsOf(invoiceKinds), value: filter.kind }]}
        lastDay={dayOf(serverNow())}
      >
        <div className="flex gap-3 max-sm:w-full max-sm:flex-col sm:ml-auto">
          <ExportButton
            save={() => downloadInvoices(company.id, filter)}
            failedTitle="Erro ao exportar faturas"
            disabled={!query.data?.total}
          />
          <YearButton company={company} />
        </div>
      </FilterBar>
      <DataArea
        query={query}
        live={useIsLive()}
        errorTitle="Erro ao carregar faturas"
        skeleton={skeleton}
        className={settlesFirst}
        isEmpty={({ total }) => total === 0}
        empty={{
          icon: InvoiceIcon,
          text: isFiltered ? 'Nenhuma fatura encontrada' : 'As faturas aparecem com o primeiro pagamento',
          action: isFiltered && <ClearFilters onClear={clear} />,
        }}
      >
        {({ invoices, total, paid, refunded }) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <p className="text-muted tabular-nums">
              {counted(total, 'documento', 'documentos', 'Nenhum')} · {formatMinor(paid)} pagos
              {refunded !== 0 && ` · ${formatMinor(refunded)} reembolsados`}
            </p>
            <DataTable
              caption="Faturas da empresa"
              columns={columns}
              rows={invoices}
              rowKey={({ id }) => id}
              renderActions={(invoice) => (
                <Link
                  to={invoicePath(invoice.id)}
                  aria-label={`Abrir: fatura ${numberText(invoice)}`}
                  className={buttonClass({ variant: 'secondary', size: 'small' })}
                >
                  Abrir
                </Link>
              )}
            />
            <Pager page={url.page} total={total} limit={LIMIT} onPage={url.setPage} />
          </div>
        )}
      </DataArea>
      <p className="text-label text-muted">{NOT_FISCAL}</p>
    </>
  )
}

const columns: Column<Invoice>[] = [
  {
    key: 'number',
    label: 'Número',
    narrow: true,
    cell: (invoice) => <span className="font-mono">{numberText(invoice)}</span>,
  },
  dateColumn(({ at }) => at, formatDate),
  {
    key: 'kind',
    label: 'Tipo',
    narrow: true,
    cell: ({ kind }) => <Badge tone={invoiceKinds[kind]?.tone}>{invoiceKinds[kind]?.label ?? kind}</Badge>,
  },
  { key: 'plan', label: 'Plano', cell: (invoice) => planText(invoice).replace(' · ', '\u00a0· ') },
  { key: 'method', label: 'Forma de pagamento', cell: methodText },
  {
    key: 'total',
    label: 'Total',
    numeric: true,
    cell: ({ total, currency }) => <span className="font-medium">{formatMinor(total, currency)}</span>,
  },
]
