// "Usuários": everybody with an account, searched and sorted by the server; one person opens in a sheet (`?user=`).
import { useQuery, type QueryClient } from '@tanstack/react-query'
import { adminKeys, usersQuery } from '../../../api/admin'
import { optionsOf } from '../../../lib/labels'
import { useUser } from '../../../auth/use-session'
import { EditIcon, RemoveIcon, UsersIcon, ViewIcon } from '../../../ui/icons'
import { searchOf, useListFilters } from '../../../ui/list-filters'
import { oneOf, type Address } from '../../../ui/url-state'
import { NOT_ONESELF, roleLabels, userStatuses } from '../labels'
import { listRequestOf, RecordListPage } from '../record-list'
import { RowAction } from '../row-action'
import { userColumns } from './user-columns'
import { UserRemoval } from './user-removal'
import { UserSheet } from './user-sheet'

const SHOWN = [adminKeys.userLists]
const SORTS = ['name', 'status', 'createdAt', 'lastLogin'] as const

function filterOf(address: Address) {
  const role = oneOf(roleLabels, address.get('role'))
  const status = oneOf(userStatuses, address.get('status'))
  return { ...(role && { role }), ...(status && { status }), ...searchOf(address) }
}

AdminUsersPage.prefetch = (queries: QueryClient, address: Address) =>
  void queries.prefetchQuery(usersQuery(listRequestOf(address, SORTS, filterOf(address))))

export function AdminUsersPage() {
  const filters = useListFilters(filterOf)
  const { url, filter } = filters
  const { set, open } = url
  const me = useUser()
  const request = listRequestOf(url, SORTS, filter)
  const query = useQuery(usersQuery(request))
  const shown = url.get('user')
  const removed = url.get('remove')
  const closeSheet = () => set({ user: '', edit: '', remove: '' })

  return (
    <RecordListPage
      title="Usuários"
      list="users"
      filters={filters}
      request={request}
      query={query}
      queryKeys={SHOWN}
      errorTitle="Erro ao carregar usuários"
      counters={({ summary }) => [
        ['Total de usuários', summary.total],
        ['Usuários ativos', summary.active],
        ['Administradores', summary.admins],
        ['Pendentes', summary.pending],
      ]}
      searchHint="Nome, email, CPF ou empresa"
      selects={[
        { name: 'role', label: 'Papel', options: Object.entries(roleLabels), value: filter.role },
        { name: 'status', label: 'Status', options: optionsOf(userStatuses), value: filter.status },
      ]}
      columns={userColumns}
      rows={({ users }) => users}
      onOpen={({ id }) => open({ user: id, edit: '', remove: '' })}
      renderActions={({ id, name }) => (
        <>
          <RowAction label={`Ver ${name}`} icon={ViewIcon} onClick={() => open({ user: id, edit: '', remove: '' })} />
          <RowAction
            label={`Editar ${name}`}
            icon={EditIcon}
            onClick={() => open({ user: id, edit: '1', remove: '' })}
          />
          <RowAction
            label={id === me.id ? NOT_ONESELF : `Excluir ${name}`}
            icon={RemoveIcon}
            disabled={id === me.id}
            onClick={() => set({ remove: id })}
          />
        </>
      )}
      empty={{ icon: UsersIcon, text: 'Nenhum usuário encontrado' }}
    >
      {shown !== null && (
        <UserSheet
          key={shown}
          userId={shown}
          isEditing={url.get('edit') !== null}
          onEdit={(on) => set({ edit: on ? '1' : '' })}
          onRemove={() => set({ remove: shown })}
          onClose={closeSheet}
        />
      )}
      {removed !== null && removed !== me.id && (
        // Beside the sheet of the same person: of two neighbours with one key React takes only the later one away.
        <UserRemoval
          key={`remove ${removed}`}
          userId={removed}
          onClose={() => set({ remove: '' })}
          onRemoved={closeSheet}
        />
      )}
    </RecordListPage>
  )
}
