// "Encerrar agora": a canceled plan that is paid until a later day ends at once, and what is left of it becomes credit.
import { endSubscriptionNow, type Subscription } from '../../api/subscriptions'
import { formatDate } from '../../lib/dates'
import { randomId } from '../../lib/ids'
import { AlertDialog } from '../../ui/alert-dialog'
import { notifySuccess } from '../../ui/toast'
import { useCommand } from './use-command'

export function EndNowDialog({ subscription, onClose }: { subscription: Subscription; onClose: () => void }) {
  const { companyId, plan, endDate } = subscription
  const { run, busy, failure } = useCommand(companyId)
  const end = () =>
    run('Erro ao encerrar assinatura', () => endSubscriptionNow(companyId, randomId()), {
      onDone: () => {
        notifySuccess('Assinatura encerrada', { id: `subscription ${companyId}` })
        onClose()
      },
    })
  return (
    <AlertDialog
      onClose={onClose}
      title="Encerrar assinatura agora?"
      description={
        <>
          O acesso ao plano {plan.displayName} termina agora{endDate && `, e não em ${formatDate(endDate)}`}. O valor
          dos dias pagos que restam, sem o que já foi devolvido, vira crédito da empresa. Isto não pode ser desfeito.
        </>
      }
      safeLabel="Manter até o fim"
      actLabel="Encerrar agora"
      busy={busy && 'Encerrando...'}
      onAct={end}
      failureTitle={failure?.title}
      failure={failure?.error}
    />
  )
}
