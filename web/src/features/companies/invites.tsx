// "Convites pendentes": people who were invited and have not accepted yet. Administrators send a mail again or
// cancel an invite.
import { useRef, useState } from 'react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { cancelInvite, companyKeys, resendInvite, type Invite } from '../../api/companies'
import { changeDetail, withoutInvite } from '../../api/company-detail'
import { asApiError } from '../../api/errors'
import { ActDialog } from '../../api/mutation-dialog'
import { formatDate } from '../../lib/dates'
import { companyRoleLabels } from '../../lib/labels'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Card, CardHeader } from '../../ui/card'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { focusHeadingAround } from '../../ui/focus-heading'
import { ListRow } from '../../ui/list-row'
import { notifySuccess, notifyWarning } from '../../ui/toast'

interface InvitesProps {
  companyId: string
  invites: Invite[]
  canManage: boolean
}

export function Invites({ companyId, invites, canManage }: InvitesProps) {
  return (
    <Card>
      <CardHeader title="Convites pendentes" />
      {invites.length === 0 ? (
        <p className="text-muted">Nenhum convite pendente</p>
      ) : (
        <ul role="list" className="grid">
          {invites.map((invite) => (
            <ListRow key={invite.id} title={invite.userEmail} note={`Expira em ${formatDate(invite.expiresAt)}`}>
              <Badge>{companyRoleLabels[invite.role]}</Badge>
              {canManage && <InviteActions companyId={companyId} invite={invite} />}
            </ListRow>
          ))}
        </ul>
      )}
    </Card>
  )
}

interface InviteProps {
  companyId: string
  invite: Invite
}

function InviteActions({ companyId, invite }: InviteProps) {
  const queries = useQueryClient()
  const [isAsking, setIsAsking] = useState(false)
  const actions = useRef<HTMLDivElement>(null)
  const refresh = () => queries.invalidateQueries({ queryKey: companyKeys.detail(companyId) })
  const resending = useMutation({
    mutationFn: () => resendInvite(companyId, invite.id),
    onSuccess: () => {
      notifySuccess(`Convite reenviado para ${invite.userEmail}. Ele vale 7 dias.`, { id: `invite ${invite.id}` })
      void refresh()
    },
    onError: (error) => {
      if (!isGone(error)) return
      // No event tells that an invite has expired. A toast says so, because the row goes with the next answer.
      const text = `O convite para ${invite.userEmail} não vale mais. Se a pessoa ainda não entrou, convide de novo.`
      notifyWarning(text, { id: `invite ${invite.id}` })
      if (actions.current?.contains(document.activeElement)) focusHeadingAround(actions.current)
      void refresh()
    },
  })
  const failure = resending.error && !isGone(resending.error) ? asApiError(resending.error) : null
  const wait = useRetrySeconds(failure)
  return (
    <>
      <div ref={actions} className="ml-auto flex flex-wrap justify-end gap-1">
        <Button
          variant="ghost"
          size="small"
          aria-label={`Reenviar convite para ${invite.userEmail}`}
          disabled={wait > 0}
          busy={resending.isPending && 'Enviando...'}
          onClick={() => resending.mutate()}
        >
          Reenviar
        </Button>
        <Button
          variant="ghost"
          size="small"
          className="text-danger!"
          aria-label={`Cancelar convite para ${invite.userEmail}`}
          onClick={() => setIsAsking(true)}
        >
          Cancelar convite
        </Button>
      </div>
      <FailureAlert className="w-full" title="Erro ao convidar usuário" failure={failure} />
      {isAsking && <CancelInviteDialog companyId={companyId} invite={invite} onClose={() => setIsAsking(false)} />}
    </>
  )
}

function isGone(error: Error): boolean {
  return asApiError(error).code === 'NOT_FOUND'
}

function CancelInviteDialog({ companyId, invite, onClose }: InviteProps & { onClose: () => void }) {
  const queries = useQueryClient()
  const cancel = async () => {
    await cancelInvite(companyId, invite.id)
    notifySuccess('Convite cancelado.')
    changeDetail(queries, companyId, (detail) => withoutInvite(detail, invite.id))
  }
  return (
    <ActDialog
      act={cancel}
      onClose={onClose}
      title="Cancelar convite?"
      description={`O link enviado para ${invite.userEmail} deixa de funcionar.`}
      safeLabel="Manter convite"
      actLabel="Cancelar convite"
      busyLabel="Cancelando..."
      failureTitle="Erro ao cancelar convite"
    />
  )
}
