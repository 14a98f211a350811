// The page "Transações": charges, credits, refunds and attempts in one list, newest first, filtered by the URL, with
// what the filter adds up to, and as a file. Admins and finance only.
import { useQuery } from '@tanstack/react-query'
import { maySeeMoney, type Company } from '../../api/companies'
import { ExportButton } from '../../api/export-button'
import { transactionsQuery, type Transaction, type TransactionPage } from '../../api/statement'
import { formatSigned, lineTexts, signedAmount, transactionKinds } from '../../api/statement-words'
import { CompanyPage } from '../../auth/company-page'
import { dayOf } from '../../lib/dates'
import { optionsOf } from '../../lib/labels'
import { formatMinor } from '../../lib/money'
import { serverNow } from '../../live/server-clock'
import { useIsLive } from '../../live/status'
import { Badge } from '../../ui/badge'
import { dateColumn, TwoLines } from '../../ui/columns'
import { Counters, CountersSkeleton } from '../../ui/counters'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { DataTable, type Column } from '../../ui/data-table'
import { TransactionsIcon } from '../../ui/icons'
import { ClearFilters, FilterBar, useKindFilters, usePagedList } from '../../ui/list-filters'
import { MoneyLinks } from '../../ui/money-links'
import { Pager } from '../../ui/pager'
import { SkeletonRows } from '../../ui/skeleton'
import { downloadTransactions } from './transactions-csv'

const LIMIT = 20
const skeleton = (
  <div className="grid gap-6">
    <CountersSkeleton count={5} />
    <SkeletonRows className="h-44 sm:h-14" />
  </div>
)

export function TransactionsPage() {
  return (
    <CompanyPage
      title="Transações"
      subtitle="Cobranças, créditos, reembolsos e tentativas de pagamento"
      skeleton={skeleton}
      mayRead={maySeeMoney}
    >
      {(company) => <CompanyTransactions company={company} />}
    </CompanyPage>
  )
}

function CompanyTransactions({ company }: { company: Company }) {
  const filters = useKindFilters(transactionKinds)
  const { url, filter, isFiltered, clear } = filters
  const query = useQuery(transactionsQuery(company.id, filter, url.page, LIMIT))
  usePagedList(filters, LIMIT, query, ['transação', 'transações', 'Nenhuma'])
  return (
    <>
      <FilterBar
        filters={filters}
        search={{ hint: 'Plano, forma de pagamento, valor ou código', value: filter.search }}
        selects={[
          { name: 'kind', label: 'Tipo', all: 'Todos', options: optionsOf(transactionKinds), value: filter.kind },
        ]}
        lastDay={dayOf(serverNow())}
      >
        <ExportButton
          save={() => downloadTransactions(company.id, filter)}
          failedTitle="Erro ao exportar transações"
          disabled={!query.data?.total}
        />
      </FilterBar>
      <DataArea
        query={query}
        live={useIsLive()}
        errorTitle="Erro ao carregar transações"
        skeleton={skeleton}
        className={settlesFirst}
        isEmpty={({ total }) => total === 0}
        empty={{
          icon: TransactionsIcon,
          text: isFiltered ? 'Nenhuma transação encontrada' : 'As transações aparecem com o primeiro pagamento',
          action: isFiltered && <ClearFilters onClear={clear} />,
        }}
      >
        {(page) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
            <Totals page={page} />
            <DataTable
              caption="Transações da empresa"
              columns={columns}
              rows={page.transactions}
              rowKey={({ kind, id }) => `${kind} ${id}`}
              renderActions={(line) => (
                <MoneyLinks
                  about={`${transactionKinds[line.kind]?.label ?? line.kind}, ${lineTexts(line).title}`}
                  paymentId={line.paymentId}
                  invoiceId={line.invoiceId}
                />
              )}
            />
            <Pager page={url.page} total={page.total} limit={LIMIT} onPage={url.setPage} />
          </div>
        )}
      </DataArea>
    </>
  )
}

/** Of everything that the filter finds, on all pages. */
function Totals({ page: { paid, refunded, credited, creditUsed, failed } }: { page: TransactionPage }) {
  return (
    <Counters
      counters={[
        ['Pago', paid, formatMinor],
        ['Reembolsado', refunded, formatMinor],
        ['Virou crédito', credited, formatMinor],
        ['Crédito usado', creditUsed, formatMinor],
        ['Tentativas recusadas', failed],
      ]}
    />
  )
}

const columns: Column<Transaction>[] = [
  dateColumn(({ at }) => at),
  {
    key: 'kind',
    label: 'Tipo',
    narrow: true,
    cell: ({ kind }) => <Badge tone={transactionKinds[kind]?.tone}>{transactionKinds[kind]?.label ?? kind}</Badge>,
  },
  {
    key: 'what',
    label: 'Descrição',
    cell: (line) => {
      const { title, note } = lineTexts(line)
      return <TwoLines note={note}>{title || '—'}</TwoLines>
    },
  },
  {
    key: 'amount',
    label: 'Valor',
    numeric: true,
    cell: (line) => (
      // What was only tried has moved nothing.
      <span className={line.kind === 'attempt' ? 'whitespace-nowrap text-muted' : 'font-medium whitespace-nowrap'}>
        {line.kind === 'credit' ? formatSigned(line.amount) : formatMinor(signedAmount(line))}
      </span>
    ),
  },
]
