// The page "Transações": charges, credits, refunds and attempts in one list, newest first, filtered by the URL, with
// what the filter adds up to, and as a file. Admins and finance only.
import { useQuery } from '@tanstack/react-query'
import { maySeeMoney, type Company } from '../../api/companies'
import { ExportButton } from '../../api/export-button'
import { transactionsQuery, type Transaction, type TransactionFilter, type TransactionPage } from '../../api/statement'
import { formatSigned, lineTexts, signedAmount, transactionKinds } from '../../api/statement-words'
import { CompanyPage } from '../../auth/company-page'
import { dayOf, formatDateTime } from '../../lib/dates'
import { optionsOf } from '../../lib/labels'
import { formatMinor } from '../../lib/money'
import { serverNow, useIsLive } from '../../live/status'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Counters, CountersSkeleton } from '../../ui/counters'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { DataTable, type Column } from '../../ui/data-table'
import { DayRange, daysOf } from '../../ui/day-range'
import { FilterSelect } from '../../ui/filter-select'
import { TransactionsIcon } from '../../ui/icons'
import { MoneyLinks } from '../../ui/money-links'
import { Pager } from '../../ui/pager'
import { SearchField } from '../../ui/search-field'
import { SkeletonRows } from '../../ui/skeleton'
import { oneOf, useUrlState, type UrlState } from '../../ui/url-state'
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
  const url = useUrlState()
  const filter = filterOf(url)
  const change = (next: Record<string, string>) => url.set({ ...next, page: '' })
  const query = useQuery(transactionsQuery(company.id, filter, url.page, LIMIT))
  const isFiltered = Object.keys(filter).length > 0
  const clear = (
    <Button variant="secondary" onClick={() => change({ kind: '', from: '', to: '', search: '' })}>
      Limpar filtros
    </Button>
  )
  return (
    <>
      <search className="flex flex-wrap items-end gap-3">
        <SearchField
          hint="Plano, forma de pagamento, valor ou código"
          value={filter.search ?? ''}
          onSearch={(search) => change({ search })}
        />
        <FilterSelect
          label="Tipo"
          all="Todos"
          options={optionsOf(transactionKinds)}
          value={filter.kind}
          onChange={(kind) => change({ kind })}
        />
        <DayRange url={url} max={dayOf(serverNow())} onChange={change} />
        <ExportButton
          save={() => downloadTransactions(company.id, filter)}
          failedTitle="Erro ao exportar transações"
          disabled={!query.data?.total}
        />
      </search>
      <DataArea
        query={query}
        live={useIsLive()}
        errorTitle="Erro ao carregar transações"
        skeleton={skeleton}
        className={settlesFirst}
        isEmpty={({ transactions }) => transactions.length === 0}
        empty={{
          icon: TransactionsIcon,
          text: isFiltered ? 'Nenhuma transação encontrada' : 'As transações aparecem com o primeiro pagamento',
          action: isFiltered && clear,
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
        ['Devolvido', refunded, formatMinor],
        ['Virou crédito', credited, formatMinor],
        ['Crédito usado', creditUsed, formatMinor],
        ['Tentativas recusadas', failed],
      ]}
    />
  )
}

const columns: Column<Transaction>[] = [
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
      return (
        <span className="grid min-w-0 gap-0.5 max-sm:justify-items-end max-sm:text-right">
          <span>{title || '—'}</span>
          {note && <span className="text-label text-muted">{note}</span>}
        </span>
      )
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

/** What the URL names wrongly is no filter. */
function filterOf(url: UrlState): TransactionFilter {
  const kind = oneOf(transactionKinds, url.get('kind'))
  const search = url.get('search')?.trim().slice(0, 100)
  return { ...daysOf(url), ...(kind && { kind }), ...(search && { search }) }
}
