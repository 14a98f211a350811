// The Portuguese labels of closed sets of the contract: one home per word, so that a list, a badge and a
// dialog never disagree. Zero is worded by `counted`, because Portuguese plural rules put 0 in "one".

export type CompanyRole = 'admin' | 'operator' | 'finance'
export type Tone = 'success' | 'warning' | 'danger' | 'info' | 'neutral'

export const companyRoles: readonly CompanyRole[] = ['admin', 'operator', 'finance']

export const companyRoleLabels: Record<CompanyRole, string> = {
  admin: 'Administrador',
  operator: 'Operador',
  finance: 'Financeiro',
}

export const companyRoleMeanings: Record<CompanyRole, string> = {
  admin: 'Acesso total: gerencia usuários e configurações da empresa',
  operator: 'Operação do dia a dia, com as funções básicas',
  finance: 'Informações e gestão financeira',
}

export const subscriptionStatusLabels = {
  active: 'Ativo',
  canceled: 'Cancelado',
  suspended: 'Suspenso',
  expired: 'Expirado',
  pending: 'Pendente',
} as const
export type SubscriptionStatus = keyof typeof subscriptionStatusLabels

export const subscriptionStatusTones: Record<SubscriptionStatus, Tone> = {
  active: 'success',
  canceled: 'neutral',
  suspended: 'warning',
  expired: 'danger',
  pending: 'warning',
}

export const paymentStatusLabels = {
  PENDING: 'Pendente',
  PROCESSING: 'Processando',
  SUCCESS: 'Aprovado',
  FAILED: 'Falhou',
  CANCELLED: 'Cancelado',
} as const
export type PaymentStatus = keyof typeof paymentStatusLabels

export const paymentStatusTones: Record<PaymentStatus, Tone> = {
  PENDING: 'warning',
  PROCESSING: 'info',
  SUCCESS: 'success',
  FAILED: 'danger',
  CANCELLED: 'neutral',
}

export const billingCycleLabels = {
  monthly: 'Mensal',
  quarterly: 'Trimestral',
  yearly: 'Anual',
} as const
export type BillingCycle = keyof typeof billingCycleLabels

export const historyLabels = {
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
} as const

/** What happened to a subscription; a kind that this build does not know shows its name. */
export function historyLabel(type: keyof typeof historyLabels): string {
  return Object.hasOwn(historyLabels, type) ? historyLabels[type] : type
}

export const historyTones: Record<keyof typeof historyLabels, Tone> = {
  created: 'info',
  activated: 'success',
  upgraded: 'success',
  downgrade_scheduled: 'info',
  downgraded: 'info',
  changed: 'info',
  pending_change_withdrawn: 'info',
  canceled: 'neutral',
  reactivated: 'success',
  renewed: 'success',
  renewal_failed: 'danger',
  suspended: 'warning',
  expired: 'danger',
  credited: 'info',
}

/**
 * `counted(0, 'usuário', 'usuários', 'Nenhum')` is "Nenhum usuário"; from one on the number is written out in digits.
 */
export function counted(count: number, one: string, many: string, none: string): string {
  if (count === 0) return `${none} ${one}`
  return `${count.toLocaleString('pt-BR')} ${count === 1 ? one : many}`
}

const collator = new Intl.Collator('pt-BR', { numeric: true, sensitivity: 'base' })

/** Order of names in lists. */
export function byName(left: string, right: string): number {
  return collator.compare(left, right)
}

/** Text as search compares it: without case and accents. */
export function searchable(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
