// Why a number is not defined, in words; the server sends the code.
import type { MetricReason } from '../../api/admin'

const sentences: Record<MetricReason, string> = {
  NO_PAYING_COMPANIES: 'Nenhuma empresa pagante no período',
  NOBODY_LEFT: 'Nenhuma empresa deixou de pagar nos últimos 30 dias',
  NO_NEW_COMPANIES: 'Nenhuma nova empresa pagante no período',
}

export function reasonText(reason: MetricReason | null | undefined): string {
  return reason ? sentences[reason] : 'Sem dados neste período'
}
