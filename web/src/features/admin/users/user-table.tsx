// The people of a page, with what can be done to each.
import type { AdminUser } from '../../../api/admin'
import { formatDate, lastLogin } from '../../../lib/dates'
import { serverNow } from '../../../live/status'
import { Address } from '../../../ui/address'
import { Badge, StatusBadge } from '../../../ui/badge'
import { EmptyArea, type EmptyContent } from '../../../ui/data-area'
import { DataTable, type Column, type Sort } from '../../../ui/data-table'
import { PencilIcon, RemoveIcon, ViewIcon } from '../../../ui/icons'
import { roleLabels, userStatusLabels, userStatusTones } from '../labels'
import { RowAction } from '../row-action'

export interface UserTableProps {
  users: readonly AdminUser[]
  ownId: string
  sort: Sort
  onSort: (sort: Sort) => void
  onOpen: (id: string) => void
  onEdit: (id: string) => void
  onRemove: (id: string) => void
  empty: EmptyContent
}

const columns: Column<AdminUser>[] = [
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
    cell: ({ status }) => (
      <StatusBadge tone={userStatusTones[status]} pending={status === 'pending'}>
        {userStatusLabels[status]}
      </StatusBadge>
    ),
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

export function UserTable({ users, ownId, sort, onSort, onOpen, onEdit, onRemove, empty }: UserTableProps) {
  if (users.length === 0) return <EmptyArea {...empty} />
  return (
    <DataTable
      caption="Usuários"
      columns={columns}
      rows={users}
      rowKey={({ id }) => id}
      sort={sort}
      onSort={onSort}
      renderActions={({ id, name }) => (
        <>
          <RowAction label={`Ver ${name}`} icon={ViewIcon} onClick={() => onOpen(id)} />
          <RowAction label={`Editar ${name}`} icon={PencilIcon} onClick={() => onEdit(id)} />
          <RowAction
            label={id === ownId ? 'Você não pode excluir a si mesmo' : `Excluir ${name}`}
            icon={RemoveIcon}
            disabled={id === ownId}
            onClick={() => onRemove(id)}
          />
        </>
      )}
    />
  )
}
