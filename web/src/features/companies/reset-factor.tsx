// The way back for a member who has lost the second factor and the recovery codes: asked about by name.
import { useMutation } from '@tanstack/react-query'
import { resetSecondFactor, type Company, type Member } from '../../api/companies'
import { asApiError } from '../../api/errors'
import { AlertDialog } from '../../ui/alert-dialog'
import { notifySuccess } from '../../ui/toast'

export function ResetFactorDialog({
  company,
  member,
  onClose,
}: {
  company: Company
  member: Member
  onClose: () => void
}) {
  const reset = useMutation({
    mutationFn: () => resetSecondFactor(company.id, member.userId),
    onSuccess: () => {
      notifySuccess(`${member.userName} agora entra só com a senha.`)
      onClose()
    },
  })
  const failure = reset.error && asApiError(reset.error)
  return (
    <AlertDialog
      open
      onClose={onClose}
      title={`Redefinir a verificação de ${member.userName}?`}
      description={`${member.userName} (${member.userEmail}) perde o aplicativo autenticador, as chaves de acesso e os códigos de recuperação, sai de todas as sessões e recebe um email. A senha continua a mesma. Só faça isso se a pessoa pediu.`}
      safeLabel="Cancelar"
      actLabel="Redefinir verificação"
      busy={reset.isPending && 'Redefinindo...'}
      onAct={() => reset.mutate()}
      failureTitle="Erro ao redefinir a verificação"
      failure={failure}
      failureActions={
        failure?.code === 'MEMBER_OF_OTHER_COMPANIES' && (
          <span>Peça à pessoa que use um código de recuperação, ou a um administrador comum às empresas.</span>
        )
      }
    />
  )
}
