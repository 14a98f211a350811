// Asks before a person is removed from the company, or loses the second factor: both by name. A reset is the way back
// for a member who has lost the second factor and the recovery codes.
import { useQueryClient } from '@tanstack/react-query'
import { removeMember, resetSecondFactor, type Company, type Member } from '../../api/companies'
import { changeDetail, withoutMember } from '../../api/company-detail'
import { ActDialog } from '../../api/mutation-dialog'
import { notifySuccess } from '../../ui/toast'

interface MemberDialogProps {
  company: Company
  member: Member
  onClose: () => void
}

export function RemoveMemberDialog({ company, member, onClose }: MemberDialogProps) {
  const queries = useQueryClient()
  const invites =
    member.role === 'admin' ? ' Os convites de administrador em aberto que essa pessoa enviou são cancelados.' : ''
  const remove = async () => {
    await removeMember(company.id, member.userId)
    changeDetail(queries, company.id, (detail) => withoutMember(detail, member.id))
    notifySuccess(`${member.userName} não faz mais parte da empresa.`)
  }
  return (
    <ActDialog
      act={remove}
      onClose={onClose}
      title={`Remover ${member.userName}?`}
      description={`${member.userName} (${member.userEmail}) perde na hora o acesso à empresa ${company.companyName}.${invites} O que já foi registrado continua no histórico.`}
      actLabel="Remover"
      busyLabel="Removendo..."
      failureTitle="Erro ao remover usuário"
    />
  )
}

export function ResetFactorDialog({ company, member, onClose }: MemberDialogProps) {
  const reset = async () => {
    await resetSecondFactor(company.id, member.userId)
    notifySuccess(`${member.userName} agora entra só com a senha.`)
  }
  return (
    <ActDialog
      act={reset}
      onClose={onClose}
      title={`Redefinir a verificação de ${member.userName}?`}
      description={
        <>
          {member.userName} ({member.userEmail}) perde o aplicativo autenticador, as chaves de acesso e os códigos de
          recuperação, sai de todas as sessões e recebe um email. A senha continua a mesma. Só faça isso se a pessoa
          pediu.
        </>
      }
      actLabel="Redefinir verificação"
      busyLabel="Redefinindo..."
      failureTitle="Erro ao redefinir a verificação"
      renderFailureActions={(code) =>
        code === 'MEMBER_OF_OTHER_COMPANIES' && (
          <span>Peça à pessoa que use um código de recuperação, ou a um administrador comum às empresas.</span>
        )
      }
    />
  )
}
