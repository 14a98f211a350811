// Words of the plan dialogs: kinds of change and the warnings of a quote, which the server sends as codes.
import type { ChangeType } from '../../api/subscriptions'

export const changeLabels: Record<ChangeType, string> = {
  upgrade: 'Upgrade',
  downgrade: 'Downgrade',
  creation: 'Nova assinatura',
  renewal: 'Renovação',
  other: 'Mudança',
}

const warnings: Record<string, string> = {
  AMOUNT_CARRIED: 'O valor é pequeno demais para cobrar agora e entra na próxima cobrança.',
  BILLING_DAY_CHANGES: 'O dia da cobrança muda.',
  BOLETO_UNAVAILABLE: 'O boleto não está disponível para este valor.',
  CANCELLATION_UNDONE: 'O cancelamento da assinatura é desfeito.',
  CREDIT_KEPT: 'O crédito que sobra fica guardado para as próximas cobranças.',
  CREDIT_USED: 'O crédito da empresa foi abatido do total.',
  PENDING_CHANGE_DROPPED: 'A mudança de plano agendada deixa de valer.',
  PREPAID_PERIOD_CREDITED: 'O período pago antecipadamente vira crédito.',
  RENEWAL_DUE: 'A renovação está em aberto: o valor cobre o período que já começou.',
  USER_LIMIT_EXCEEDED:
    'A empresa tem mais usuários do que este plano permite. Ninguém é removido, mas não será possível adicionar mais.',
}

export function warningText(code: string): string {
  return warnings[code] ?? code
}
