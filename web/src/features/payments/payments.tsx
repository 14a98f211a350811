// The page "Pagamentos": every payment of the company, filtered by the URL, open ones first, with what they add up to;
// one of them is shown in a sheet beside the list (`/payments/:id`). Admins and finance only; the sheet alone is also for
// who comes by a link while another company is selected, of which they may not read it.
import { Link, useLocation, useParams } from 'react-router'
import { useQuery } from '@tanstack/react-query'
import { mayManage, maySeeMoney, type Company } from '../../api/companies'
import { ExportButton } from '../../api/export-button'
import { paymentFilterOf, paymentSelects } from '../../api/payment-filter'
import { paymentsQuery } from '../../api/payments'
import { plansQuery } from '../../api/plans'
import { paths } from '../../lib/paths'
import { CompanyPage } from '../../auth/company-page'
import { dayOf } from '../../lib/dates'
import { counted } from '../../lib/labels'
import { formatMinor } from '../../lib/money'
import { serverNow } from '../../live/server-clock'
import { useIsLive } from '../../live/status'
import { buttonClass } from '../../ui/button'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { PaymentIcon } from '../../ui/icons'
import { ClearFilters, FilterBar, useListFilters, usePagedList } from '../../ui/list-filters'
import { Pager } from '../../ui/pager'
import { SkeletonRows } from '../../ui/skeleton'
import { downloadPayments } from './payments-csv'
import { PaymentTable } from './payment-table'
import { PaymentSheet } from './payment-sheet'
import { usePlans } from './payment-state'

const PAGE_SIZE = 10
const skeleton = <SkeletonRows className="h-19 sm:h-12" />

export function PaymentsPage() {
  const { paymentId } = useParams()
  return (
    <CompanyPage
      title="Pagamentos"
      skeleton={skeleton}
      mayRead={(company) => paymentId !== undefined || maySeeMoney(company)}
    >
      {(company) => (
        <>
          {maySeeMoney(company) && <CompanyPayments company={company} />}
          {paymentId && <PaymentSheet key={paymentId} company={company} paymentId={paymentId} />}
        </>
      )}
    </CompanyPage>
  )
}

function CompanyPayments({ company }: { company: Company }) {
  const filters = useListFilters(paymentFilterOf)
  const { url, filter, isFiltered, clear } = filters
  const { search } = useLocation()
  const query = useQuery(paymentsQuery(company.id, filter, url.page, PAGE_SIZE))
  const plans = useQuery(plansQuery())
  const named = usePlans(company.id)
  // The rows name their plans: without them, the columns would find other widths a moment later.
  const list = { ...query, isPending: query.isPending || !plans.isFetched }
  usePagedList(filters, PAGE_SIZE, query, ['pagamento', 'pagamentos', 'Nenhum'])

  return (
    <>
      <FilterBar
        filters={filters}
        search={{ hint: 'Plano, valor ou código', value: filter.search }}
        selects={paymentSelects(filter)}
        lastDay={dayOf(serverNow())}
      >
        <ExportButton
          save={() => downloadPayments(company.id, filter, named)}
          failedTitle="Erro ao exportar pagamentos"
          disabled={!query.data?.total}
        />
      </FilterBar>
      <DataArea
        query={list}
        live={useIsLive()}
        errorTitle="Erro ao carregar pagamentos"
        skeleton={skeleton}
        className={settlesFirst}
        isEmpty={({ total }) => total === 0}
        empty={{
          icon: PaymentIcon,
          text: 'Nenhum pagamento encontrado',
          action: isFiltered ? <ClearFilters onClear={clear} /> : <SeePlans />,
        }}
      >
        {({ payments, total, totalPaid }) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
            <p className="text-muted tabular-nums">
              {counted(total, 'pagamento', 'pagamentos', 'Nenhum')} ·{' '}
              <span className="font-medium text-text">{formatMinor(totalPaid, 'brl')}</span> aprovados
            </p>
            <PaymentTable payments={payments} plans={named} canManage={mayManage(company)} search={search} />
          </div>
        )}
      </DataArea>
      {query.data && <Pager page={url.page} total={query.data.total} limit={PAGE_SIZE} onPage={url.setPage} />}
    </>
  )
}

function SeePlans() {
  return (
    <Link to={paths.plans} className={buttonClass({ variant: 'secondary' })}>
      Ver Planos
    </Link>
  )
}
