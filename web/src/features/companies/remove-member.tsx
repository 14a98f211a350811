// Asks before a person is removed from the company, by name.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { removeMember, type Company, type Member } from '../../api/companies'
import { withoutMember } from '../../api/company-detail'
import { asApiError } from '../../api/errors'
import { AlertDialog } from '../../ui/alert-dialog'
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
      changeDetail(queries, company.id, (detail) => withoutMember(detail, member.id))
      notifySuccess(`${member.userName} foi removido da empresa.`)
      onClose()
    },
  })
  return (
    <AlertDialog
      open
      onClose={onClose}
      title={`Remover ${member.userName}?`}
      description={`${member.userName} (${member.userEmail}) perde na hora o acesso à empresa ${company.companyName}. O que já foi registrado continua no histórico.`}
      safeLabel="Cancelar"
      actLabel="Remover"
      busy={removal.isPending && 'Removendo...'}
      onAct={() => removal.mutate()}
      failureTitle="Erro ao remover usuário"
      failure={removal.error && asApiError(removal.error)}
    />
  )
}
