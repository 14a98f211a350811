// "Encerrar agora": a canceled plan that is paid until a later day ends at once, and what is left of it becomes credit.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { asApiError } from '../../api/errors'
import { endSubscriptionNow, subscriptionKeys, type Subscription } from '../../api/subscriptions'
import { formatDate } from '../../lib/dates'
import { randomId } from '../../lib/ids'
import { writeNewer } from '../../live/patch-cache'
import { AlertDialog } from '../../ui/alert-dialog'
import { notifySuccess } from '../../ui/toast'
import { titleOf } from './use-command'

interface EndNowProps {
  companyId: string
  subscription: Subscription
  onClose: () => void
}

export function EndNowDialog({ companyId, subscription: { plan, endDate }, onClose }: EndNowProps) {
  const queries = useQueryClient()
  const end = useMutation({
    mutationFn: () => endSubscriptionNow(companyId, randomId()),
    onSuccess: (next) => {
      writeNewer(queries, subscriptionKeys.current(companyId), next)
      notifySuccess('Assinatura encerrada', { id: `subscription ${companyId}` })
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: subscriptionKeys.current(companyId) }),
  })
  const failure = end.error && asApiError(end.error)
  return (
    <AlertDialog
      open
      onClose={onClose}
      title="Encerrar assinatura agora?"
      description={`O acesso ao plano ${plan.displayName} termina agora${endDate ? `, e não em ${formatDate(endDate)}` : ''}. O valor dos dias pagos que restam vira crédito da empresa. Isto não pode ser desfeito.`}
      safeLabel="Manter até o fim"
      actLabel="Encerrar agora"
      busy={end.isPending && 'Encerrando...'}
      onAct={() => end.mutate()}
      failureTitle={failure ? titleOf(failure, 'Erro ao encerrar assinatura') : ''}
      failure={failure}
    />
  )
}
