// The columns of the list of people.
import type { AdminUser } from '../../../api/admin'
import { formatDate, lastLogin } from '../../../lib/dates'
import { statusNamed } from '../../../lib/labels'
import { serverNow } from '../../../live/server-clock'
import { Address } from '../../../ui/address'
import { Badge, StatusBadge } from '../../../ui/badge'
import { TwoLines } from '../../../ui/columns'
import type { Column } from '../../../ui/data-table'
import { roleLabels, userStatuses } from '../labels'

export const userColumns: Column<AdminUser>[] = [
  {
    key: 'name',
    label: 'Usuário',
    sortable: true,
    cell: ({ name, email }) => (
      <TwoLines note={<Address email={email} />} className="wrap-anywhere">
        <span className="font-medium">{name}</span>
      </TwoLines>
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
    cell: ({ status }) => <StatusBadge {...statusNamed(userStatuses, status)} />,
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
