// People of a company. Below 640 px a row becomes a labelled card. Administrators choose roles and remove;
// the creator is locked, and oneself leaves instead.
import { useState } from 'react'
import { sentences } from '../../api/errors'
import type { Member, Role } from '../../api/companies'
import { companyRoleLabels } from '../../lib/labels'
import { Address } from '../../ui/address'
import { AlertDialog } from '../../ui/alert-dialog'
import { Badge, StatusBadge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { IconButton } from '../../ui/icon-button'
import { LockIcon, ResetFactorIcon } from '../../ui/icons'
import { Select } from '../../ui/select'
import { notifyInfo } from '../../ui/toast'
import { useRoleChange } from './use-role-change'

const cell = 'flex items-baseline py-1 enlarged:flex-wrap sm:table-cell sm:h-12 sm:py-2 sm:pr-4 sm:align-middle'
const label = 'w-20 shrink-0 text-label text-muted enlarged:w-full sm:hidden'
/** On a card the lock stands at the end of the line above, not alone on one of its own. */
const besideStatus = 'max-sm:-mt-9.5 max-sm:-mr-2.5 max-sm:-mb-2.5'

interface MemberTableProps {
  companyId: string
  members: Member[]
  canManage: boolean
  ownId: string
  /** The member who was just added here. */
  added: string | undefined
  onRemove: (member: Member) => void
  onResetFactor: (member: Member) => void
}

export function MemberTable({
  companyId,
  members,
  canManage,
  ownId,
  added,
  onRemove,
  onResetFactor,
}: MemberTableProps) {
  const roleChange = useRoleChange(companyId)
  return (
    <table className="w-full text-left sm:-mb-3">
      <caption className="sr-only">Usuários da empresa</caption>
      <thead className="hidden border-b border-line text-label text-muted sm:table-header-group">
        <tr>
          {['Nome', 'Email', 'Papel', 'Status'].map((name) => (
            <th key={name} scope="col" className="pr-4 pb-2 font-medium">
              {name}
            </th>
          ))}
          {canManage && (
            <th scope="col" className="pb-2 text-right font-medium">
              <span className="sr-only">Ações</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {members.map((member) => {
          const isOwn = member.userId === ownId
          const notes = [isOwn && 'você', member.isCreator && 'criador'].filter(Boolean).join(' · ')
          return (
            <tr
              key={member.id}
              data-bipe={member.id === added ? '' : undefined}
              className="block border-b border-line py-3 first:pt-0 last:border-0 last:pb-0 sm:table-row sm:py-0"
            >
              <th scope="row" className={`${cell} font-medium md:min-w-28`}>
                <span className={label}>Nome</span>
                <span className="wrap-anywhere">
                  {member.userName}
                  {notes && (
                    <span className="font-normal text-muted">
                      {'\u00a0· '}
                      <span className="inline-block">{notes}</span>
                    </span>
                  )}
                </span>
              </th>
              <td className={`${cell} md:min-w-40`}>
                <span className={label}>Email</span>
                <span className="wrap-anywhere">
                  <Address email={member.userEmail} />
                </span>
              </td>
              <td className={cell}>
                <span className={label}>Papel</span>
                {canManage && !member.isCreator ? (
                  <RoleSelect member={member} isOwn={isOwn} onChange={(role) => roleChange.mutate({ member, role })} />
                ) : (
                  <Badge>{companyRoleLabels[member.role]}</Badge>
                )}
              </td>
              <td className={cell}>
                <span className={label}>Status</span>
                <StatusBadge
                  tone={member.status === 'active' ? 'success' : 'neutral'}
                  label={member.status === 'active' ? 'Ativo' : 'Inativo'}
                />
              </td>
              {canManage && (
                <td
                  className={cx(
                    cell,
                    'items-center! justify-end sm:pr-0! sm:text-right sm:whitespace-nowrap sm:*:align-middle',
                    member.isCreator && besideStatus,
                  )}
                >
                  {!isOwn && (
                    <IconButton
                      label={`Redefinir a verificação em duas etapas de ${member.userName}`}
                      className="sm:-my-1"
                      onClick={() => onResetFactor(member)}
                    >
                      <ResetFactorIcon className="text-muted" />
                    </IconButton>
                  )}
                  <RowAction member={member} isOwn={isOwn} onRemove={() => onRemove(member)} />
                </td>
              )}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function RowAction({ member, isOwn, onRemove }: { member: Member; isOwn: boolean; onRemove: () => void }) {
  if (member.isCreator) {
    return (
      <IconButton
        label={sentences.CREATOR_LOCKED}
        className="sm:-my-1"
        onClick={() => notifyInfo(sentences.CREATOR_LOCKED, { id: 'creator-locked' })}
      >
        <LockIcon className="text-muted" />
      </IconButton>
    )
  }
  return (
    <Button
      variant="ghost"
      size="small"
      className={isOwn ? 'md:max-lg:h-auto md:max-lg:py-1 md:max-lg:whitespace-normal' : 'text-danger!'}
      aria-label={isOwn ? undefined : `Remover ${member.userName}`}
      onClick={onRemove}
    >
      {isOwn ? 'Sair da empresa' : 'Remover'}
    </Button>
  )
}

/** Saved at once; giving up one's own rights is asked first. */
function RoleSelect({ member, isOwn, onChange }: { member: Member; isOwn: boolean; onChange: (role: Role) => void }) {
  const [asked, setAsked] = useState<Role | null>(null)
  const choose = (role: Role) => {
    if (isOwn && role !== 'admin') setAsked(role)
    else onChange(role)
  }
  return (
    <>
      <Select
        small
        className="w-38 pointer-coarse:w-42 enlarged:w-full"
        aria-label={`Papel de ${member.userName}`}
        value={member.role}
        onChange={(event) => choose(event.target.value as Role)}
        options={Object.entries(companyRoleLabels)}
      />
      {asked && (
        <AlertDialog
          onClose={() => setAsked(null)}
          title="Deixar de ser administrador?"
          description={`Seu papel passa a ser ${companyRoleLabels[asked]} e você não poderá mais gerenciar usuários nem configurações desta empresa.`}
          safeLabel="Cancelar"
          actLabel="Mudar meu papel"
          onAct={() => {
            onChange(asked)
            setAsked(null)
          }}
        />
      )}
    </>
  )
}
