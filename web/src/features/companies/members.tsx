// The people of a company, and what an administrator does with them: add, change the role, remove.
import { useEffect, useState } from 'react'
import type { Company, CompanyDetail, Member } from '../../api/companies'
import { seatsText } from '../../api/seats'
import { useUser } from '../../auth/use-session'
import { Button } from '../../ui/button'
import { Card, CardHeader } from '../../ui/card'
import { AddIcon } from '../../ui/icons'
import { useUrlState } from '../../ui/url-state'
import { AddUserDialog } from './add-user'
import { LeaveDialog } from './leave-company'
import { RemoveMemberDialog, ResetFactorDialog } from './member-dialogs'
import { MemberTable } from './member-table'

interface MembersProps {
  company: Company
  detail: CompanyDetail
  canManage: boolean
}

export function Members({ company, detail, canManage }: MembersProps) {
  const members = detail.users
  const user = useUser()
  const url = useUrlState()
  const [leaving, setLeaving] = useState<Member | null>(null)
  const [losing, setLosing] = useState<Member | null>(null)
  const [added, setAdded] = useState<string>()
  const adds = url.get('add') !== null
  const close = () => setLeaving(null)
  // A question ends with the right to manage, and does not come back with it; so it does with the member.
  if (leaving && !canManage) setLeaving(null)
  if (losing && !canManage) setLosing(null)
  // Nor does the form that adds somebody.
  useEffect(() => {
    if (adds && !canManage) url.set({ add: '' })
  })
  const reset = members.find(({ id }) => id === losing?.id)
  const asked = members.find(({ id }) => id === leaving?.id)

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
      <MemberTable
        companyId={company.id}
        members={members}
        canManage={canManage}
        ownId={user.id}
        added={added}
        onRemove={setLeaving}
        onResetFactor={setLosing}
      />
      {adds && canManage && (
        <AddUserDialog companyId={company.id} onAdded={setAdded} onClose={() => url.set({ add: '' })} />
      )}
      {reset && <ResetFactorDialog company={company} member={reset} onClose={() => setLosing(null)} />}
      {asked && asked.userId !== user.id && <RemoveMemberDialog company={company} member={asked} onClose={close} />}
      {asked && asked.userId === user.id && <LeaveDialog company={company} onClose={close} />}
    </Card>
  )
}
