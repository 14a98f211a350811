// The page "Pagamentos": every payment of the company, filtered by the URL, open ones first; one of them is shown in a
// sheet beside the list (`/payments/:id`). Admins and finance only.
import { useEffect } from 'react'
import { Link, useLocation, useNavigate, useParams, useSearchParams } from 'react-router'
import { useQuery } from '@tanstack/react-query'
import type { Company } from '../../api/companies'
import { ExportButton } from '../../api/export-button'
import { paymentMethods } from '../../api/payment-methods'
import { paymentsQuery, type PaymentFilter, type PaymentPage } from '../../api/payments'
import { plansQuery } from '../../api/plans'
import { paths } from '../../lib/paths'
import { CompanyPage } from '../../auth/company-page'
import { optionsOf, paymentStatuses } from '../../lib/labels'
import { useIsLive } from '../../live/status'
import { Button, buttonClass } from '../../ui/button'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { FilterSelect } from '../../ui/filter-select'
import { PaymentIcon } from '../../ui/icons'
import { Pager } from '../../ui/pager'
import { SkeletonRows } from '../../ui/skeleton'
import { oneOf, readPage, withChange } from '../../ui/url-state'
import { downloadPayments } from './payments-csv'
import { PaymentTable } from './payment-table'
import ResultDialog from './result-dialog'

const PAGE_SIZE = 10
const skeleton = <SkeletonRows className="h-56 sm:h-12" />

export function PaymentsPage() {
  return (
    <CompanyPage title="Pagamentos" skeleton={skeleton} mayRead={({ userRole }) => userRole !== 'operator'}>
      {(company) => <CompanyPayments company={company} />}
    </CompanyPage>
  )
}

function CompanyPayments({ company }: { company: Company }) {
  const { filter, page, set } = useFilter()
  const { paymentId } = useParams()
  const navigate = useNavigate()
  const { search } = useLocation()
  const query = useQuery(paymentsQuery(company.id, filter, page, PAGE_SIZE))
  const plans = useQuery(plansQuery())
  // The rows name their plans: without them, the columns would find other widths a moment later.
  const list = { ...query, isPending: query.isPending || plans.isPending }
  const filtered = filter.status !== undefined || filter.method !== undefined
  useLastPage(query.data, page, set)

  return (
    <>
      <div className="flex flex-wrap items-end gap-3">
        <FilterSelect
          label="Status"
          all="Todos"
          options={optionsOf(paymentStatuses)}
          value={filter.status}
          onChange={(status) => set({ status, page: '' })}
        />
        <FilterSelect
          label="Forma de pagamento"
          all="Todas"
          options={optionsOf(paymentMethods)}
          value={filter.method}
          onChange={(method) => set({ method, page: '' })}
        />
        <ExportButton
          save={() => downloadPayments(company.id, filter, plans.data ?? [])}
          failedTitle="Erro ao carregar pagamentos"
          disabled={!query.data?.total}
        />
      </div>
      <DataArea
        query={list}
        live={useIsLive()}
        errorTitle="Erro ao carregar pagamentos"
        skeleton={skeleton}
        className={settlesFirst}
        isEmpty={({ payments }) => payments.length === 0}
        empty={{
          icon: PaymentIcon,
          text: 'Nenhum pagamento encontrado',
          action: filtered ? <ClearFilters onClear={() => set({ status: '', method: '', page: '' })} /> : <SeePlans />,
        }}
      >
        {({ payments }) => <PaymentTable payments={payments} plans={plans.data ?? []} search={search} />}
      </DataArea>
      {query.data && (
        <Pager page={page} total={query.data.total} limit={PAGE_SIZE} onPage={(next) => set({ page: String(next) })} />
      )}
      {paymentId && (
        <ResultDialog
          key={paymentId}
          companyId={company.id}
          paymentId={paymentId}
          sheet
          onClose={() => void navigate({ pathname: paths.payments, search })}
        />
      )}
    </>
  )
}

function ClearFilters({ onClear }: { onClear: () => void }) {
  return (
    <Button variant="secondary" onClick={onClear}>
      Limpar filtros
    </Button>
  )
}

function SeePlans() {
  return (
    <Link to={paths.plans} className={buttonClass({ variant: 'secondary' })}>
      Ver Planos
    </Link>
  )
}

/** A page behind the last one, from an old link or after a filter, leads to the last one. */
function useLastPage(data: PaymentPage | undefined, page: number, set: ReturnType<typeof useFilter>['set']): void {
  const last = data ? Math.max(1, Math.ceil(data.total / PAGE_SIZE)) : page
  useEffect(() => {
    if (page > last) set({ page: last > 1 ? String(last) : '' }, { replace: true })
  })
}

/** Status, method and page live in the URL, each change an entry that "back" undoes; a wrong name is no filter. */
function useFilter() {
  const [search, setSearch] = useSearchParams()
  const status = oneOf(paymentStatuses, search.get('status'))
  const method = oneOf(paymentMethods, search.get('method'))
  const filter: PaymentFilter = { status, method }
  const set = (change: Record<string, string>, options?: { replace: boolean }) =>
    setSearch((before) => withChange(before, change), options)
  return { filter, page: readPage(search.get('page')), set }
}
