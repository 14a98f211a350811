// One person beside the list: profile, companies, consents, audit, and the edit form in its place.
import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { adminKeys, endUserSessions, userQuery, type AdminUserDetail } from '../../../api/admin'
import { resendVerification } from '../../../api/auth'
import { asApiError } from '../../../api/errors'
import { lazyDialog } from '../../../api/lazy-dialog'
import { isFailure } from '../../../lib/failure'
import { adminCompanyPath } from '../../../lib/paths'
import { useUser } from '../../../auth/use-session'
import { formatDate, formatDateTime, lastLogin } from '../../../lib/dates'
import { companyRoleLabels, counted, statusNamed } from '../../../lib/labels'
import { groupPhone } from '../../../lib/phone'
import { serverNow } from '../../../live/server-clock'
import { Address } from '../../../ui/address'
import { AlertDialog } from '../../../ui/alert-dialog'
import { Badge, StatusBadge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { DataArea, EmptyArea } from '../../../ui/data-area'
import { UserIcon } from '../../../ui/icons'
import { Sheet } from '../../../ui/sheet'
import { SkeletonLines } from '../../../ui/skeleton'
import { notifyError, notifyInfo, notifySuccess } from '../../../ui/toast'
import { Tooltip } from '../../../ui/tooltip'
import { useAnnounceFailure } from '../../../ui/use-announce-failure'
import { AuditList } from '../audit-list'
import { FactList, LazyForm, SheetSection } from '../record-sheet'
import { consentLabels, NOT_ONESELF, roleLabels, userStatuses } from '../labels'

const MISSING = 'Usuário não encontrado'

/** The form's code is loaded when it is opened. */
const UserForm = lazyDialog(() => import('./user-form'))

interface UserSheetProps {
  userId: string
  isEditing: boolean
  onEdit: (on: boolean) => void
  onRemove: () => void
  onClose: () => void
}

export function UserSheet({ userId, isEditing, onEdit, onRemove, onClose }: UserSheetProps) {
  const query = useQuery(userQuery(userId))
  const isRead = query.data !== undefined
  const isMissing = !isRead && isFailure(query.error) && query.error.code === 'NOT_FOUND'
  useAnnounceFailure(MISSING, isMissing, isRead)
  if (isEditing && query.data) {
    return (
      <LazyForm title={`Editar ${query.data.userName}`} onClose={onClose}>
        <UserForm user={query.data} onDone={() => onEdit(false)} onClose={onClose} />
      </LazyForm>
    )
  }
  if (isMissing) {
    return (
      <Sheet focusTitle onClose={onClose} title="Usuário">
        <EmptyArea icon={UserIcon} title={MISSING} text="A conta pode ter sido excluída." />
      </Sheet>
    )
  }
  return (
    <Sheet focusTitle onClose={onClose} title={query.data?.userName ?? 'Usuário'}>
      <DataArea query={query} errorTitle="Erro ao carregar usuários" skeleton={<SkeletonLines count={12} />}>
        {(user) => (
          <div className="grid gap-6">
            <Actions user={user} onEdit={() => onEdit(true)} onRemove={onRemove} />
            <Profile user={user} />
            <Companies user={user} />
            <SheetSection title="Consentimentos">
              <FactList
                facts={user.consents.map(({ kind, version, acceptedAt }) => [
                  consentLabels[kind] ?? kind,
                  `Versão ${version}, ${formatDateTime(acceptedAt)}`,
                ])}
                none="Nenhum consentimento"
              />
            </SheetSection>
            <SheetSection title="Auditoria">
              <AuditList about={{ actor: user.id }} />
            </SheetSection>
            <SheetSection title="Ações sobre esta pessoa">
              <AuditList about={{ target: user.id }} />
            </SheetSection>
          </div>
        )}
      </DataArea>
    </Sheet>
  )
}

function Profile({ user }: { user: AdminUserDetail }) {
  const facts: [string, ReactNode][] = [
    ['Email', <Address key="email" email={user.userEmail} />],
    ['CPF', user.userDocument],
    ['Telefone', groupPhone(user.userPhone)],
    ['Data de Nascimento', user.userBirthDate ? formatDate(user.userBirthDate) : '—'],
    ['Último login', lastLogin(user.lastLogin, serverNow())],
    ['Sessões abertas', counted(user.sessions, 'sessão', 'sessões', 'Nenhuma')],
    ...secondFactorOf(user),
    ['Criado em', formatDateTime(user.createdAt)],
  ]
  return (
    <SheetSection
      title="Perfil"
      aside={
        <span className="flex flex-wrap gap-1.5">
          <Badge tone={user.role === 'user' ? 'neutral' : 'info'}>{roleLabels[user.role]}</Badge>
          <StatusBadge {...statusNamed(userStatuses, user.status)} />
        </span>
      }
    >
      <FactList facts={facts} />
    </SheetSection>
  )
}

/** Nothing from a server of an older build, which does not say. */
function secondFactorOf({ hasSecondFactor }: Partial<AdminUserDetail>): [string, string][] {
  if (hasSecondFactor === undefined) return []
  return [['Verificação em duas etapas', hasSecondFactor ? 'Ativa' : 'Desativada']]
}

function Companies({ user: { companies } }: { user: AdminUserDetail }) {
  return (
    <SheetSection title="Empresas">
      {companies.length === 0 ? (
        <p className="text-muted">Nenhuma empresa</p>
      ) : (
        <ul role="list" className="grid gap-2">
          {companies.map(({ id, name, role }) => (
            <li key={id} className="flex items-center justify-between gap-3">
              <Link to={adminCompanyPath(id)} className="link min-w-0 wrap-anywhere">
                {name}
              </Link>
              <Badge>{companyRoleLabels[role]}</Badge>
            </li>
          ))}
        </ul>
      )}
    </SheetSection>
  )
}

function Actions({ user, onEdit, onRemove }: { user: AdminUserDetail; onEdit: () => void; onRemove: () => void }) {
  const queries = useQueryClient()
  const isSelf = useUser().id === user.id
  const [isAsking, setIsAsking] = useState(false)
  const resend = useMutation({
    mutationFn: () => resendVerification(user.userEmail),
    // Within a minute of the last mail the server sends none, and tells nobody.
    onSuccess: () =>
      notifyInfo('Reenvio solicitado', {
        detail: 'Se um código foi enviado há menos de um minuto, ele continua valendo e nenhum outro é enviado.',
      }),
    onError: (error) => notifyError('Erro ao reenviar a verificação', { detail: asApiError(error).sentence }),
  })
  const end = useMutation({
    mutationFn: () => endUserSessions(user.id),
    onSuccess: () => {
      notifySuccess(`Sessões de ${user.userName} encerradas`)
      for (const queryKey of [adminKeys.users, adminKeys.audit]) void queries.invalidateQueries({ queryKey })
    },
    onError: (error) => notifyError('Erro ao encerrar as sessões', { detail: asApiError(error).sentence }),
    onSettled: () => setIsAsking(false),
  })
  return (
    <div className="flex flex-wrap gap-2">
      <Button size="small" onClick={onEdit}>
        Editar
      </Button>
      {!user.emailVerified && (
        <Button
          variant="secondary"
          size="small"
          onClick={() => resend.mutate()}
          busy={resend.isPending && 'Enviando...'}
        >
          Reenviar verificação
        </Button>
      )}
      <Button variant="secondary" size="small" disabled={user.sessions === 0} onClick={() => setIsAsking(true)}>
        Encerrar sessões
      </Button>
      {isSelf ? (
        <Tooltip text={NOT_ONESELF}>
          <Button variant="secondary" size="small" aria-disabled aria-label={`Excluir: ${NOT_ONESELF}`}>
            Excluir
          </Button>
        </Tooltip>
      ) : (
        <Button variant="secondary" size="small" onClick={onRemove}>
          Excluir
        </Button>
      )}
      {isAsking && (
        <AlertDialog
          onClose={() => setIsAsking(false)}
          title="Encerrar sessões?"
          description={`${user.userName} sai de todos os dispositivos e precisa entrar de novo.`}
          safeLabel="Cancelar"
          actLabel="Encerrar sessões"
          busy={end.isPending && 'Encerrando...'}
          onAct={() => end.mutate()}
        />
      )}
    </div>
  )
}
