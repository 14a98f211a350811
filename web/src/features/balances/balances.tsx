// The page "Saldos": the credit of the company, and the ledger that it comes from with the balance after each entry,
// newest first. Admins and finance only.
import { useInfiniteQuery } from '@tanstack/react-query'
import { maySeeMoney, type Company } from '../../api/companies'
import { methodLabel } from '../../api/payment-methods'
import { balanceQuery, type LedgerEntry } from '../../api/statement'
import { creditText, formatSigned, planOf } from '../../api/statement-words'
import { CompanyPage } from '../../auth/company-page'
import { dayOf } from '../../lib/dates'
import { counted } from '../../lib/labels'
import { formatMinor } from '../../lib/money'
import { serverNow } from '../../live/server-clock'
import { useIsLive } from '../../live/status'
import { Card } from '../../ui/card'
import { dateColumn, TwoLines } from '../../ui/columns'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { DataTable, type Column } from '../../ui/data-table'
import { daysOf } from '../../ui/day-range'
import { BalanceIcon } from '../../ui/icons'
import { ClearFilters, FilterBar, useAnnounceFound, useListFilters } from '../../ui/list-filters'
import { MoneyLinks } from '../../ui/money-links'
import { LoadMore } from '../../ui/pager'
import { Skeleton, SkeletonRows } from '../../ui/skeleton'
import { useChanged } from '../../ui/use-changed'

const rows = <SkeletonRows className="h-44 sm:h-14" />
/** As tall as the card of the balance. */
const now = <Skeleton className="h-32" />

export function BalancesPage() {
  return (
    <CompanyPage
      title="Saldos"
      subtitle="O crédito da empresa, de onde ele veio e no que foi usado"
      skeleton={
        <div className="grid gap-6">
          {now}
          {rows}
        </div>
      }
      mayRead={maySeeMoney}
    >
      {(company) => <CompanyBalance company={company} />}
    </CompanyPage>
  )
}

function CompanyBalance({ company }: { company: Company }) {
  const filters = useListFilters(daysOf)
  const { filter: days, isFiltered, clear } = filters
  const query = useInfiniteQuery(balanceQuery(company.id, days))
  const shown = query.data?.entries.length
  const more = query.hasNextPage ? 'Mais de ' : ''
  useAnnounceFound(
    days,
    1,
    !query.isFetching && shown !== undefined && more + counted(shown, 'movimentação', 'movimentações', 'Nenhuma'),
  )
  return (
    <>
      {query.data ? <Balance balance={query.data.balance} /> : query.isPending && now}
      <FilterBar filters={filters} lastDay={dayOf(serverNow())} />
      <DataArea
        query={query}
        live={useIsLive()}
        errorTitle="Erro ao carregar saldos"
        skeleton={rows}
        className={settlesFirst}
        isEmpty={({ entries }) => entries.length === 0}
        empty={{
          icon: BalanceIcon,
          text: isFiltered
            ? 'Nenhuma movimentação encontrada'
            : 'Créditos aparecem aqui quando uma mudança de plano ou um pagamento deixa um valor a seu favor',
          action: isFiltered && <ClearFilters onClear={clear} />,
        }}
      >
        {({ entries }) => (
          <DataTable
            caption="Movimentações do crédito"
            columns={columns}
            rows={entries}
            rowKey={({ id }) => id}
            renderActions={(entry) => (
              <MoneyLinks
                about={creditText(entry.kind, entry)}
                paymentId={entry.paymentId}
                invoiceId={entry.invoiceId}
              />
            )}
          />
        )}
      </DataArea>
      <LoadMore query={query} className="justify-self-center" />
    </>
  )
}

function Balance({ balance }: { balance: number }) {
  const changed = useChanged(balance)
  return (
    <Card className="grid min-h-32 content-center" aria-label="Saldo atual" data-live={changed ? 'changed' : undefined}>
      <p className="text-label text-muted">Saldo atual</p>
      <p className="text-h2 font-bold tabular-nums" aria-live="polite">
        {formatMinor(balance)}
      </p>
      <p className="text-muted">{balanceNote(balance)}</p>
    </Card>
  )
}

function balanceNote(balance: number): string {
  if (balance > 0) return 'Será abatido das próximas cobranças, sem você precisar fazer nada.'
  return balance < 0 ? 'Valor pequeno demais para cobrar agora: entra na próxima cobrança.' : 'Nenhum crédito a usar.'
}

function noteOf(entry: LedgerEntry): string {
  return [planOf(entry), entry.method && methodLabel(entry.method)].filter(Boolean).join(' · ')
}

const columns: Column<LedgerEntry>[] = [
  dateColumn(({ at }) => at),
  {
    key: 'what',
    label: 'Movimentação',
    cell: (entry) => <TwoLines note={noteOf(entry)}>{creditText(entry.kind, entry)}</TwoLines>,
  },
  {
    key: 'amount',
    label: 'Valor',
    numeric: true,
    cell: ({ amount }) => <span className="font-medium whitespace-nowrap">{formatSigned(amount)}</span>,
  },
  {
    key: 'balance',
    label: 'Saldo',
    numeric: true,
    cell: ({ balance }) => <span className="whitespace-nowrap">{formatMinor(balance)}</span>,
  },
]
