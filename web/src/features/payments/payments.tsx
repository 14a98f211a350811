// The page "Pagamentos": every payment of the company, filtered by the URL, open ones first; one of them is shown in a
// sheet beside the list (`/payments/:id`). Admins and finance only.
import { useEffect, useState } from 'react'
import { Link, useLocation, useNavigate, useParams, useSearchParams } from 'react-router'
import { useQuery } from '@tanstack/react-query'
import type { Company } from '../../api/companies'
import { asApiError } from '../../api/errors'
import { paymentsQuery, type PaymentFilter, type PaymentPage } from '../../api/payments'
import { plansQuery, type Plan } from '../../api/plans'
import { paths } from '../../lib/paths'
import { CompanyPage } from '../../auth/company-page'
import { paymentMethodLabels, paymentStatusLabels } from '../../lib/labels'
import { useIsLive } from '../../live/status'
import { Button, buttonClass } from '../../ui/button'
import { DataArea, settlesFirst } from '../../ui/data-area'
import { FilterSelect } from '../../ui/filter-select'
import { PaymentIcon } from '../../ui/icons'
import { Pager } from '../../ui/pager'
import { Skeleton } from '../../ui/skeleton'
import { notifyError } from '../../ui/toast'
import { oneOf, readPage, withChange } from '../../ui/url-state'
import { downloadPayments } from './payments-csv'
import { PaymentTable } from './payment-table'
import { ResultDialog } from './result-dialog'

const PAGE_SIZE = 10

export function PaymentsPage() {
  return (
    <CompanyPage title="Pagamentos" skeleton={<TableSkeleton />} mayRead={({ userRole }) => userRole !== 'operator'}>
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
  const live = useIsLive()
  const filtered = filter.status !== undefined || filter.method !== undefined
  useLastPage(query.data, page, set)

  return (
    <>
      <div className="flex flex-wrap items-end gap-3">
        <FilterSelect
          label="Status"
          all="Todos"
          options={Object.entries(paymentStatusLabels)}
          value={filter.status}
          onChange={(status) => set({ status, page: '' })}
        />
        <FilterSelect
          label="Forma de pagamento"
          all="Todas"
          options={Object.entries(paymentMethodLabels)}
          value={filter.method}
          onChange={(method) => set({ method, page: '' })}
        />
        <ExportButton companyId={company.id} filter={filter} plans={plans.data ?? []} disabled={!query.data?.total} />
      </div>
      <DataArea
        query={query}
        live={live}
        errorTitle="Erro ao carregar pagamentos"
        skeleton={<TableSkeleton />}
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

function TableSkeleton() {
  return (
    <div className="grid gap-3 sm:gap-px">
      {Array.from({ length: 6 }, (_, row) => (
        <Skeleton key={row} className="h-56 sm:h-12" />
      ))}
    </div>
  )
}

interface ExportProps {
  companyId: string
  filter: PaymentFilter
  plans: Plan[]
  disabled: boolean
}

function ExportButton({ companyId, filter, plans, disabled }: ExportProps) {
  const [busy, setBusy] = useState(false)
  const save = () => {
    setBusy(true)
    downloadPayments(companyId, filter, plans)
      .catch((thrown: unknown) => notifyError('Erro ao carregar pagamentos', { detail: asApiError(thrown).sentence }))
      .finally(() => setBusy(false))
  }
  return (
    <Button
      variant="secondary"
      onClick={save}
      disabled={disabled}
      busy={busy && 'Exportando...'}
      className="max-sm:w-full sm:ml-auto"
    >
      Exportar CSV
    </Button>
  )
}

/** Status, method and page live in the URL, each change an entry that "back" undoes; a wrong name is no filter. */
function useFilter() {
  const [search, setSearch] = useSearchParams()
  const status = oneOf(paymentStatusLabels, search.get('status'))
  const method = oneOf(paymentMethodLabels, search.get('method'))
  const filter: PaymentFilter = { ...(status && { status }), ...(method && { method }) }
  const set = (change: Record<string, string>, options?: { replace: boolean }) =>
    setSearch((before) => withChange(before, change), options)
  return { filter, page: readPage(search.get('page')), set }
}
