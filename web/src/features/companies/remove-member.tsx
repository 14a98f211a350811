// Asks before a person is removed from the company, by name.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { removeMember, type Company, type Member } from '../../api/companies'
import { withoutMember } from '../../api/company-detail'
import { asApiError } from '../../api/errors'
import { AlertDialog } from '../../ui/alert-dialog'
import { FailureAlert, useRetrySeconds } from '../../ui/failure-alert'
import { notifySuccess } from '../../ui/toast'
import { changeDetail } from './member-changes'

export function RemoveMemberDialog({
  company,
  member,
  onClose,
}: {
  company: Company
  member: Member
  onClose: () => void
}) {
  const queries = useQueryClient()
  const removal = useMutation({
    mutationFn: () => removeMember(company.id, member.userId),
    onSuccess: () => {
      changeDetail(queries, company.id, (held) => withoutMember(held, member.id))
      notifySuccess(`${member.userName} foi removido da empresa.`)
      onClose()
    },
  })
  const failure = removal.error && asApiError(removal.error)
  const wait = useRetrySeconds(failure)
  return (
    <AlertDialog
      open
      onClose={onClose}
      title={`Remover ${member.userName}?`}
      description={`${member.userName} (${member.userEmail}) perde na hora o acesso à empresa ${company.companyName}. O que já foi registrado continua no histórico.`}
      safeLabel="Cancelar"
      actLabel="Remover"
      busy={removal.isPending && 'Removendo...'}
      actDisabled={wait > 0}
      onAct={() => removal.mutate()}
    >
      <FailureAlert title="Erro ao remover usuário" failure={failure} />
    </AlertDialog>
  )
}
