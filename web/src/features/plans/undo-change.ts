// Takes back a change of plan that was to come: from the subscription, and from the plan that it would have led to.
import { withdrawPendingChange } from '../../api/subscriptions'
import { notifySuccess } from '../../ui/toast'
import type { Command } from './use-command'

export function undoChange(command: Command, companyId: string, onDone?: () => void): void {
  command.run('Erro ao desfazer a mudança de plano', () => withdrawPendingChange(companyId), {
    onDone: () => {
      notifySuccess('Mudança de plano desfeita', { id: `subscription ${companyId}` })
      onDone?.()
    },
  })
}
