// "Usuários": everybody with an account, searched and sorted by the server; one person opens in a sheet (`?user=`).
import { useCallback } from 'react'
import { useQuery } from '@tanstack/react-query'
import { usersQuery, type UserFilter } from '../../../api/admin'
import { Button } from '../../../ui/button'
import { Counters, CountersSkeleton } from '../../../ui/counters'
import { DataArea } from '../../../ui/data-area'
import { readSort, writeSort } from '../../../ui/data-table'
import { UsersIcon } from '../../../ui/icons'
import { Page } from '../../../ui/page'
import { Pager } from '../../../ui/pager'
import { SkeletonLines } from '../../../ui/skeleton'
import { useUser } from '../../../auth/use-session'
import { FilterSelect } from '../../../ui/filter-select'
import { roleLabels, userStatusLabels } from '../labels'
import { SearchField } from '../search-field'
import { oneOf, useUrlState } from '../../../ui/url-state'
import { UserRemoval } from './user-removal'
import { UserSheet } from './user-sheet'
import { UserTable } from './user-table'

const LIMIT = 10
const DEFAULT_SORT = '-createdAt'
/** The columns that the server can sort by. */
const SORTS = ['name', 'createdAt', 'lastLogin']

export function AdminUsersPage() {
  const url = useUrlState()
  const { set, page } = url
  const me = useUser()
  const search = url.get('search') ?? ''
  const role = oneOf(roleLabels, url.get('role'))
  const status = oneOf(userStatusLabels, url.get('status'))
  const wanted = readSort(url.get('sort'), DEFAULT_SORT)
  const sort = SORTS.includes(wanted.key) ? wanted : readSort(null, DEFAULT_SORT)
  const query = useQuery(
    usersQuery({ search, role, status, sort: writeSort(sort) as UserFilter['sort'], page, limit: LIMIT }),
  )
  const filter = (change: Record<string, string>) => set({ ...change, page: '' })
  const isFiltered = search !== '' || role !== undefined || status !== undefined
  const clear = () => filter({ search: '', role: '', status: '' })
  const find = useCallback((text: string) => set({ search: text, page: '' }), [set])
  const closeSheet = () => set({ user: '', edit: '', remove: '' })

  return (
    <Page title="Usuários">
      <DataArea query={query} errorTitle="Erro ao carregar usuários" skeleton={<PageSkeleton />}>
        {({ users, total, summary }) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
            <Counters
              counters={[
                ['Total de usuários', summary.total],
                ['Usuários ativos', summary.active],
                ['Administradores', summary.admins],
                ['Pendentes', summary.pending],
              ]}
            />
            <search className="flex flex-wrap items-end gap-3">
              <SearchField hint="Nome, email ou empresa" value={search} onSearch={find} />
              <FilterSelect
                label="Papel"
                all="Todos"
                options={Object.entries(roleLabels)}
                value={role}
                onChange={(value) => filter({ role: value })}
              />
              <FilterSelect
                label="Status"
                all="Todos"
                options={Object.entries(userStatusLabels)}
                value={status}
                onChange={(value) => filter({ status: value })}
              />
            </search>
            <UserTable
              users={users}
              ownId={me.id}
              sort={sort}
              onSort={(next) => filter({ sort: writeSort(next) === DEFAULT_SORT ? '' : writeSort(next) })}
              onOpen={(id) => set({ user: id, edit: '', remove: '' })}
              onEdit={(id) => set({ user: id, edit: '1', remove: '' })}
              onRemove={(id) => set({ remove: id })}
              empty={{
                icon: UsersIcon,
                text: 'Nenhum usuário encontrado',
                action: isFiltered && (
                  <Button variant="secondary" onClick={clear}>
                    Limpar filtros
                  </Button>
                ),
              }}
            />
            <Pager page={page} total={total} limit={LIMIT} onPage={url.setPage} />
          </div>
        )}
      </DataArea>
      <UserSheet
        userId={url.get('user')}
        isEditing={url.get('edit') !== null}
        onEdit={(on) => set({ edit: on ? '1' : '' })}
        onRemove={(id) => set({ remove: id })}
        onClose={closeSheet}
      />
      <UserRemoval
        userId={url.get('remove')}
        ownId={me.id}
        onClose={() => set({ remove: '' })}
        onRemoved={closeSheet}
      />
    </Page>
  )
}

function PageSkeleton() {
  return (
    <div className="grid gap-6">
      <CountersSkeleton />
      <SkeletonLines count={12} />
    </div>
  )
}
