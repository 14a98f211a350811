// Leaving a company: for everybody but its creator.
import { useNavigate } from 'react-router'
import { removeMember, type Company } from '../../api/companies'
import { ActDialog } from '../../api/mutation-dialog'
import { paths } from '../../lib/paths'
import { useCompany } from '../../auth/company'
import { useUser } from '../../auth/use-session'
import { AskCard } from '../../ui/ask-card'
import { notifySuccess } from '../../ui/toast'

/** For members without the administrators' table controls. */
export function LeaveCompany({ company }: { company: Company }) {
  return (
    <AskCard
      title="Sair da empresa"
      actLabel="Sair da empresa"
      renderDialog={(onClose) => <LeaveDialog company={company} onClose={onClose} />}
    >
      Você deixa de ver os dados desta empresa.
    </AskCard>
  )
}

export function LeaveDialog({ company, onClose }: { company: Company; onClose: () => void }) {
  const user = useUser()
  const navigate = useNavigate()
  const { giveUp } = useCompany()
  const leave = async () => {
    await giveUp(company.id, () => removeMember(company.id, user.id))
    notifySuccess(`Você saiu da empresa ${company.companyName}`)
    await navigate(paths.dashboard)
  }
  return (
    <ActDialog
      act={leave}
      onClose={onClose}
      title={`Sair da empresa ${company.companyName}?`}
      description="Você perde o acesso na hora, e os cartões que você salvou continuam na empresa. Para voltar, um administrador precisa convidar você de novo."
      actLabel="Sair da empresa"
      busyLabel="Saindo..."
      failureTitle="Erro ao sair da empresa"
    />
  )
}
