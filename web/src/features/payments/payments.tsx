// The page "Pagamentos": every payment of the company, filtered by the URL, open ones first; one of them is shown in a
// sheet beside the list (`/payments/:id`). Admins and finance only.
import { useEffect, useState } from 'react'
import { Link, useLocation, useNavigate, useParams, useSearchParams } from 'react-router'
import { useQuery } from '@tanstack/react-query'
import type { Company } from '../../api/companies'
import { asApiError } from '../../api/errors'
import { paymentsQuery, type PaymentFilter, type PaymentPage } from '../../api/payments'
import { plansQuery, type Plan } from '../../api/plans'
import { paths } from '../../app/paths'
import { useCompany } from '../../auth/company'
import { paymentMethodLabels, paymentStatusLabels, type PaymentMethodType, type PaymentStatus } from '../../lib/labels'
import { useIsLive } from '../../live/status'
import { Button, buttonClass } from '../../ui/button'
import { DataArea, EmptyArea, ForbiddenArea, LoadingArea, settlesFirst } from '../../ui/data-area'
import { Field } from '../../ui/field'
import { CompanyIcon, PaymentIcon } from '../../ui/icons'
import { Page } from '../../ui/page'
import { Select } from '../../ui/select'
import { Skeleton } from '../../ui/skeleton'
import { notifyError } from '../../ui/toast'
import { downloadPayments } from './payments-csv'
import { PaymentTable } from './payment-table'
import { ResultDialog } from './result-dialog'

const PAGE_SIZE = 10

export function PaymentsPage() {
  return (
    <Page title="Pagamentos">
      <Content />
    </Page>
  )
}

function Content() {
  const { company, query } = useCompany()
  if (!company && query.isPending) {
    return (
      <LoadingArea>
        <TableSkeleton />
      </LoadingArea>
    )
  }
  if (!company) return <NoCompany />
  return company.userRole === 'operator' ? <ForbiddenArea /> : <CompanyPayments key={company.id} company={company} />
}

function NoCompany() {
  return (
    <EmptyArea
      icon={CompanyIcon}
      title="Nenhuma empresa selecionada"
      action={
        <Link to={paths.dashboard} className={buttonClass()}>
          Voltar ao Dashboard
        </Link>
      }
    />
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
  const pages = Math.max(1, Math.ceil((query.data?.total ?? 0) / PAGE_SIZE))
  const filtered = filter.status !== undefined || filter.method !== undefined
  useLastPage(query.data, page, set)

  return (
    <>
      <div className="flex flex-wrap items-end gap-3">
        <Field label="Status" className="min-w-40 max-sm:flex-1">
          <Select value={filter.status ?? ''} onChange={(event) => set({ status: event.target.value, page: '' })}>
            <option value="">Todos</option>
            {Object.entries(paymentStatusLabels).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
        <Field label="Forma de pagamento" className="min-w-40 max-sm:flex-1">
          <Select value={filter.method ?? ''} onChange={(event) => set({ method: event.target.value, page: '' })}>
            <option value="">Todas</option>
            {Object.entries(paymentMethodLabels).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
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
      {pages > 1 && (
        <nav aria-label="Páginas" className="flex items-center justify-between gap-3">
          <Button variant="secondary" size="small" disabled={page <= 1} onClick={() => set({ page: String(page - 1) })}>
            Anterior
          </Button>
          <span className="text-muted tabular-nums">
            Página {page} de {pages}
          </span>
          <Button
            variant="secondary"
            size="small"
            disabled={page >= pages}
            onClick={() => set({ page: String(page + 1) })}
          >
            Próxima
          </Button>
        </nav>
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

/** Status, method and page live in the URL; what the URL names wrongly is no filter. */
function useFilter() {
  const [search, setSearch] = useSearchParams()
  const status = search.get('status') ?? ''
  const method = search.get('method') ?? ''
  const filter: PaymentFilter = {
    ...(Object.hasOwn(paymentStatusLabels, status) && { status: status as PaymentStatus }),
    ...(Object.hasOwn(paymentMethodLabels, method) && { method: method as PaymentMethodType }),
  }
  const page = Math.max(1, Math.trunc(Number(search.get('page'))) || 1)
  const set = (change: Record<string, string>, options?: { replace: boolean }) =>
    setSearch((before) => {
      const next = new URLSearchParams(before)
      for (const [name, value] of Object.entries(change)) {
        if (value) next.set(name, value)
        else next.delete(name)
      }
      return next
    }, options)
  return { filter, page, set }
}
