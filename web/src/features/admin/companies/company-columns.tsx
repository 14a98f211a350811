// The columns of the list of companies.
import type { AdminCompany } from '../../../api/admin'
import { formatCount } from '../../../lib/decimal'
import { statusNamed } from '../../../lib/labels'
import { formatReais } from '../../../lib/money'
import { isBeyondPercent, signedPercent } from '../../../lib/percent'
import { Address } from '../../../ui/address'
import { StatusBadge } from '../../../ui/badge'
import type { Column } from '../../../ui/data-table'
import { adminSubscriptionStatuses, companyStatuses } from '../labels'
import { NoValue } from '../no-value'

export const companyColumns: Column<AdminCompany>[] = [
  { key: 'name', label: 'Empresa', sortable: true, cell: (company) => <Name company={company} /> },
  {
    key: 'plan',
    label: 'Plano',
    sortable: true,
    cell: ({ subscription }) => <span className="sm:wrap-break-word">{subscription?.plan ?? '—'}</span>,
  },
  {
    key: 'subscription',
    label: 'Assinatura',
    sortable: true,
    cell: ({ subscription }) =>
      subscription ? (
        <StatusBadge {...statusNamed(adminSubscriptionStatuses, subscription.status)} />
      ) : (
        <span className="text-muted">Sem assinatura</span>
      ),
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
    cell: ({ users }) => formatCount(users.total),
  },
  {
    key: 'orders',
    label: 'Pedidos',
    numeric: true,
    cell: ({ metrics }) =>
      metrics.orders == null ? (
        <NoValue of="Pedidos" reason="Módulo de pedidos em breve" />
      ) : (
        formatCount(metrics.orders)
      ),
  },
  {
    key: 'revenue',
    label: 'Receita',
    numeric: true,
    sortable: true,
    cell: ({ metrics }) => formatReais(metrics.revenue),
  },
  { key: 'growth', label: 'Crescimento', numeric: true, cell: ({ metrics }) => <Growth percent={metrics.growth} /> },
]

function Name({ company: { name, email, status } }: { company: AdminCompany }) {
  return (
    <span className="grid min-w-0 justify-items-start gap-0.5 max-sm:justify-items-end max-sm:text-right">
      <span className="font-medium wrap-anywhere">{name}</span>
      <span className="text-label wrap-anywhere text-muted">
        <Address email={email} />
      </span>
      {status !== 'active' && <StatusBadge {...statusNamed(companyStatuses, status)} />}
    </span>
  )
}

function Growth({ percent }: { percent: number | null | undefined }) {
  if (percent == null) return <NoValue of="Crescimento" reason="Nada foi pago nos 30 dias anteriores" />
  const tone = percent === 0 ? 'text-muted' : percent > 0 ? 'text-success' : 'text-danger'
  return <span className={tone}>{isBeyondPercent(percent) ? 'mais que triplicou' : signedPercent(percent)}</span>
}
