// The words of a subscription's history.
import type { HistoryType } from '../../api/subscriptions'

const labels: Record<HistoryType, string> = {
  created: 'Assinatura criada',
  activated: 'Assinatura ativada',
  upgraded: 'Upgrade de plano',
  downgrade_scheduled: 'Downgrade agendado',
  downgraded: 'Downgrade aplicado',
  changed: 'Plano alterado',
  pending_change_withdrawn: 'Mudança agendada desfeita',
  canceled: 'Assinatura cancelada',
  reactivated: 'Assinatura reativada',
  renewed: 'Assinatura renovada',
  renewal_failed: 'Renovação não paga',
  suspended: 'Assinatura suspensa',
  expired: 'Assinatura expirada',
  credited: 'Crédito lançado',
}

/** A kind that this build does not know shows its name. */
export function historyLabel(type: string): string {
  return Object.hasOwn(labels, type) ? labels[type as HistoryType] : type
}
