// Leaving a company: for everybody but its creator.
import { isOpen, removeMember, type Company } from '../../api/companies'
import { ActDialog } from '../../api/mutation-dialog'
import { helpPath } from '../../lib/paths'
import { useUser } from '../../auth/use-session'
import { AskCard } from '../../ui/ask-card'
import { useGiveUp } from './use-give-up'

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
  const leave = useGiveUp(
    company.id,
    () => removeMember(company.id, user.id),
    `Você saiu da empresa ${company.companyName}`,
  )
  return (
    <ActDialog
      act={leave}
      onClose={onClose}
      title={`Sair da empresa ${company.companyName}?`}
      description="Você perde o acesso na hora, e os cartões que você salvou continuam na empresa. Para voltar, um administrador precisa convidar você de novo."
      actLabel="Sair da empresa"
      busyLabel="Saindo..."
      failureTitle="Erro ao sair da empresa"
      renderFailureActions={(code) => code === 'LAST_ADMIN' && <WayOut company={company} />}
    />
  )
}

/** What the last administrator does first. Nobody can be made one while the platform keeps the company closed. */
function WayOut({ company }: { company: Company }) {
  if (isOpen(company)) return <span>Antes, dê o papel Administrador a outra pessoa.</span>
  return (
    <>
      <span>Em uma empresa suspensa ou desativada, nada pode ser mudado.</span>
      <a href={helpPath}>Fale com o suporte</a>
    </>
  )
}
