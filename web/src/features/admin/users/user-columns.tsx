// The columns of the list of people.
import type { AdminUser } from '../../../api/admin'
import { formatDate, lastLogin } from '../../../lib/dates'
import { serverNow } from '../../../live/status'
import { Address } from '../../../ui/address'
import { Badge, StatusBadge } from '../../../ui/badge'
import type { Column } from '../../../ui/data-table'
import { roleLabels, userStatuses } from '../labels'

export const userColumns: Column<AdminUser>[] = [
  {
    key: 'name',
    label: 'Usuário',
    sortable: true,
    cell: ({ name, email }) => (
      <span className="grid min-w-0 gap-0.5 max-sm:justify-items-end max-sm:text-right">
        <span className="font-medium wrap-anywhere">{name}</span>
        <span className="text-label wrap-anywhere text-muted">
          <Address email={email} />
        </span>
      </span>
    ),
  },
  {
    key: 'role',
    label: 'Papel',
    cell: ({ role }) => <Badge tone={role === 'user' ? 'neutral' : 'info'}>{roleLabels[role]}</Badge>,
  },
  {
    key: 'status',
    label: 'Status',
    sortable: true,
    cell: ({ status }) => <StatusBadge {...userStatuses[status]} />,
  },
  {
    key: 'company',
    label: 'Empresa',
    cell: ({ company }) => <span className="wrap-anywhere">{company?.name ?? '—'}</span>,
  },
  {
    key: 'lastLogin',
    label: 'Último login',
    sortable: true,
    cell: (user) => <span className="whitespace-nowrap tabular-nums">{lastLogin(user.lastLogin, serverNow())}</span>,
  },
  {
    key: 'createdAt',
    label: 'Criado em',
    sortable: true,
    cell: ({ createdAt }) => <span className="whitespace-nowrap tabular-nums">{formatDate(createdAt)}</span>,
  },
]
