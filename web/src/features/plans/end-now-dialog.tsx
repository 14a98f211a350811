// "Encerrar agora": a canceled plan that is paid until a later day ends at once, and what is left of it becomes credit.
// So does a suspended one, of which nothing is left.
import { endSubscriptionNow, type Subscription } from '../../api/subscriptions'
import { formatDate } from '../../lib/dates'
import { randomId } from '../../lib/ids'
import { AlertDialog } from '../../ui/alert-dialog'
import { notifySuccess } from '../../ui/toast'
import { endConsequences } from './end-consequences'
import { useCommand } from './use-command'

export function EndNowDialog({ subscription, onClose }: { subscription: Subscription; onClose: () => void }) {
  const { companyId, status } = subscription
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
      description={`${consequenceOf(subscription)}${endConsequences(subscription)} Isto não pode ser desfeito.`}
      safeLabel={status === 'suspended' ? 'Manter Assinatura' : 'Manter até o fim'}
      actLabel="Encerrar agora"
      busy={busy && 'Encerrando...'}
      onAct={end}
      failureTitle={failure?.title}
      failure={failure?.error}
    />
  )
}

function consequenceOf({ plan, status, endDate }: Subscription): string {
  if (status === 'suspended')
    return `A assinatura do plano ${plan.displayName} é encerrada agora. Não restam dias pagos, e o período vencido não é cobrado.`
  const end = endDate ? `, e não em ${formatDate(endDate)}` : ''
  return `O acesso ao plano ${plan.displayName} termina agora${end}. O valor dos dias pagos que restam, sem o que já foi devolvido, vira crédito da empresa.`
}
