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

/** What is asked before it is done. */
interface Question {
  act: 'remove' | 'resetFactor'
  memberId: string
}

export function Members({ company, detail, canManage }: MembersProps) {
  const members = detail.users
  const user = useUser()
  const url = useUrlState()
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
      <MemberTable
        companyId={company.id}
        members={members}
        canManage={canManage}
        ownId={user.id}
        added={added}
        onRemove={ask('remove')}
        onResetFactor={ask('resetFactor')}
      />
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
