// The companies of a page, with what can be done to each.
import type { AdminCompany } from '../../../api/admin'
import { formatReais } from '../../../lib/money'
import { Address } from '../../../ui/address'
import { StatusBadge } from '../../../ui/badge'
import { EmptyArea, type EmptyContent } from '../../../ui/data-area'
import { DataTable, type Column, type Sort } from '../../../ui/data-table'
import { AnalyticsIcon, PencilIcon, UsersIcon, ViewIcon } from '../../../ui/icons'
import { Tooltip } from '../../../ui/tooltip'
import type { CompanyTab } from './company-sheet'
import { companyStatusLabels, companyStatusTones } from '../labels'
import { signedPercent } from '../metrics'
import { NoValue } from '../no-value'
import { RowAction } from '../row-action'
import { SubscriptionState } from './subscription-state'

export interface CompanyTableProps {
  companies: readonly AdminCompany[]
  sort: Sort
  onSort: (sort: Sort) => void
  onOpen: (id: string, tab: CompanyTab | '') => void
  onEdit: (id: string) => void
  empty: EmptyContent
}

const columns: Column<AdminCompany>[] = [
  { key: 'name', label: 'Empresa', sortable: true, cell: (company) => <Name company={company} /> },
  {
    key: 'plan',
    label: 'Plano',
    cell: ({ subscription }) => <span className="wrap-break-word">{subscription?.plan ?? '—'}</span>,
  },
  {
    key: 'subscription',
    label: 'Assinatura',
    cell: ({ subscription }) => <SubscriptionState subscription={subscription} />,
  },
  {
    key: 'mrr',
    label: 'MRR',
    numeric: true,
    sortable: true,
    cell: ({ subscription }) => (subscription ? formatReais(subscription.mrr) : '—'),
  },
  {
    key: 'users',
    label: 'Usuários',
    numeric: true,
    sortable: true,
    cell: ({ users }) => users.total.toLocaleString('pt-BR'),
  },
  {
    key: 'orders',
    label: 'Pedidos',
    numeric: true,
    cell: ({ metrics }) => (metrics.orders == null ? <ComingOrders /> : metrics.orders.toLocaleString('pt-BR')),
  },
  { key: 'revenue', label: 'Receita', numeric: true, cell: ({ metrics }) => formatReais(metrics.revenue) },
  { key: 'growth', label: 'Crescimento', numeric: true, cell: ({ metrics }) => <Growth percent={metrics.growth} /> },
]

export function CompanyTable({ companies, sort, onSort, onOpen, onEdit, empty }: CompanyTableProps) {
  if (companies.length === 0) return <EmptyArea {...empty} />
  return (
    <DataTable
      caption="Empresas"
      columns={columns}
      rows={companies}
      rowKey={({ id }) => id}
      sort={sort}
      onSort={onSort}
      renderActions={({ id, name }) => (
        <>
          <RowAction label={`Ver ${name}`} icon={ViewIcon} onClick={() => onOpen(id, '')} />
          <RowAction label={`Editar ${name}`} icon={PencilIcon} onClick={() => onEdit(id)} />
          <RowAction label={`Analytics de ${name}`} icon={AnalyticsIcon} onClick={() => onOpen(id, 'analytics')} />
          <RowAction label={`Gerenciar usuários de ${name}`} icon={UsersIcon} onClick={() => onOpen(id, 'members')} />
        </>
      )}
    />
  )
}

function Name({ company: { name, email, status } }: { company: AdminCompany }) {
  return (
    <span className="grid min-w-0 justify-items-start gap-0.5 max-sm:justify-items-end max-sm:text-right">
      <span className="font-medium wrap-anywhere">{name}</span>
      <span className="text-label wrap-anywhere text-muted">
        <Address email={email} />
      </span>
      {status !== 'active' && (
        <StatusBadge tone={companyStatusTones[status]}>{companyStatusLabels[status]}</StatusBadge>
      )}
    </span>
  )
}

function ComingOrders() {
  return (
    <Tooltip text="Módulo de pedidos em breve">
      <button
        type="button"
        aria-label="Pedidos: módulo de pedidos em breve"
        className="-my-0.5 min-h-6 min-w-6 cursor-help text-right rounded-badge"
      >
        —
      </button>
    </Tooltip>
  )
}

function Growth({ percent }: { percent: number | null | undefined }) {
  if (percent == null) return <NoValue of="Crescimento" reason="Nada foi pago nos 30 dias anteriores" />
  const tone = percent === 0 ? 'text-muted' : percent > 0 ? 'text-success' : 'text-danger'
  return <span className={tone}>{signedPercent(percent)}</span>
}
