// Why a number is not defined, in words; the server sends the code.
import type { MetricName, MetricReason } from '../../api/admin'

const sentences: Record<MetricReason, string> = {
  NO_PAYING_COMPANIES: 'Nenhuma empresa pagante',
  NOBODY_LEFT: 'Nenhuma empresa deixou de pagar nos últimos 30 dias',
  NO_NEW_COMPANIES: 'Nenhuma nova empresa pagante no período',
}

/** Churn is a share of those who paid when the period began, whoever came since. */
export function reasonText(name: MetricName, reason: MetricReason | null | undefined): string {
  if (name === 'churn' && reason === 'NO_PAYING_COMPANIES') return 'Nenhuma empresa pagante no início do período'
  return reason ? sentences[reason] : 'Sem dados neste período'
}
