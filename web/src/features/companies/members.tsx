// The people of a company, by name, and what an administrator does with them: add, change the role, remove. A company
// of many is searched and leafed through here; the server sends all of them at once.
import { useEffect, useEffectEvent, useState } from 'react'
import type { Company, CompanyDetail, Member } from '../../api/companies'
import { seatsText } from '../../api/seats'
import { useUser } from '../../auth/use-session'
import { byName, searchable } from '../../lib/names'
import { Button } from '../../ui/button'
import { Card, CardHeader } from '../../ui/card'
import { EmptyArea } from '../../ui/data-area'
import { AddIcon, UsersIcon } from '../../ui/icons'
import { ClearFilters, FilterBar, searchOf, useListFilters, usePagedList } from '../../ui/list-filters'
import { Pager } from '../../ui/pager'
import { AddUserDialog } from './add-user'
import { LeaveDialog } from './leave-company'
import { RemoveMemberDialog, ResetFactorDialog } from './member-dialogs'
import { MemberTable } from './member-table'

/** Of a page. A company of no more is not searched. */
const LIMIT = 20

interface MembersProps {
  company: Company
  detail: CompanyDetail
  canManage: boolean
}

/** What is asked before it is done. */
interface Question {
  act: 'remove' | 'resetFactor'
  memberId: string
}

export function Members({ company, detail, canManage }: MembersProps) {
  const members = detail.users
  const user = useUser()
  const filters = useListFilters(searchOf)
  const { url, filter, isFiltered } = filters
  const found = foundAmong(members, filter.search)
  const shown = found.slice((url.page - 1) * LIMIT, url.page * LIMIT)
  const listed = { data: { total: found.length }, isFetching: false }
  usePagedList(filters, LIMIT, listed, ['usuário', 'usuários', 'Nenhum'])
  const [question, setQuestion] = useState<Question | null>(null)
  const [added, setAdded] = useState<string>()
  const isAdding = url.get('add') !== null
  const ask = (act: Question['act']) => (member: Member) => setQuestion({ act, memberId: member.id })
  const close = () => setQuestion(null)
  // A question ends with the right to manage, and does not come back with it.
  if (question && !canManage) setQuestion(null)
  // Nor does the form that adds somebody.
  useEffect(() => {
    if (isAdding && !canManage) url.set({ add: '' })
  })
  const arrived = members.find(({ id }) => id === added)?.id
  const showPerson = useEffectEvent((memberId: string) => {
    if (shown.some(({ id }) => id === memberId)) return
    const place = foundAmong(members).findIndex(({ id }) => id === memberId)
    url.set({ search: '', page: String(Math.floor(place / LIMIT) + 1) })
  })
  // Who was added is seen, whatever was searched for and wherever the name stands.
  useEffect(() => {
    if (arrived) showPerson(arrived)
  }, [arrived])
  // Nobody is asked about a member who is gone.
  const asked = members.find(({ id }) => id === question?.memberId)

  return (
    <Card>
      <CardHeader
        title="Usuários"
        actions={
          canManage && (
            <Button size="small" onClick={() => url.set({ add: '1' })}>
              <AddIcon />
              Adicionar Usuário
            </Button>
          )
        }
      >
        {seatsText(detail)}
        {!canManage &&
          company.userRole !== 'admin' &&
          '. Só administradores gerenciam usuários: fale com um administrador da empresa.'}
      </CardHeader>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
        {(members.length > LIMIT || isFiltered) && (
          <FilterBar filters={filters} search={{ hint: 'Nome ou email', value: filter.search }} />
        )}
        {isFiltered && found.length === 0 ? (
          <EmptyArea
            icon={UsersIcon}
            text="Nenhum usuário encontrado"
            action={<ClearFilters onClear={filters.clear} />}
          />
        ) : (
          <MemberTable
            companyId={company.id}
            members={shown}
            canManage={canManage}
            ownId={user.id}
            added={added}
            onRemove={ask('remove')}
            onResetFactor={ask('resetFactor')}
          />
        )}
        <Pager page={url.page} total={found.length} limit={LIMIT} onPage={url.setPage} />
      </div>
      {isAdding && canManage && (
        <AddUserDialog companyId={company.id} onAdded={setAdded} onClose={() => url.set({ add: '' })} />
      )}
      {asked && question?.act === 'resetFactor' && (
        <ResetFactorDialog company={company} member={asked} onClose={close} />
      )}
      {asked &&
        question?.act === 'remove' &&
        (asked.userId === user.id ? (
          <LeaveDialog company={company} onClose={close} />
        ) : (
          <RemoveMemberDialog company={company} member={asked} onClose={close} />
        ))}
    </Card>
  )
}

/** By name. The search is a part of a name or of an address, whatever the case and the accents. */
function foundAmong(members: Member[], search = ''): Member[] {
  const wanted = searchable(search)
  return members
    .filter(({ userName, userEmail }) => searchable(`${userName} ${userEmail}`).includes(wanted))
    .toSorted((one, other) => byName(one.userName, other.userName))
}
