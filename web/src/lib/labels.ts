// The Portuguese labels of closed sets of the contract: one home per word, so that a list, a badge and a
// dialog never disagree. Zero is worded by `counted`, because Portuguese plural rules put 0 in "one".
import { formatCount } from './decimal'

type CompanyRole = 'admin' | 'operator' | 'finance'
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

export interface Status {
  label: string
  tone: Tone
  /** Neither good nor bad yet. */
  pending?: boolean
}

/** What a word of the server stands for; one that this build does not know shows itself. */
export function statusNamed(table: Record<string, Status>, word: string): Status {
  return table[word] ?? { label: word, tone: 'neutral' }
}

export const subscriptionStatuses = {
  active: { label: 'Ativo', tone: 'success' },
  canceled: { label: 'Cancelado', tone: 'neutral' },
  suspended: { label: 'Suspenso', tone: 'warning' },
  expired: { label: 'Expirado', tone: 'danger' },
  pending: { label: 'Pendente', tone: 'warning', pending: true },
} as const satisfies Record<string, Status>

export const paymentStatuses = {
  PENDING: { label: 'Pendente', tone: 'warning' },
  PROCESSING: { label: 'Processando', tone: 'info' },
  SUCCESS: { label: 'Aprovado', tone: 'success' },
  FAILED: { label: 'Falhou', tone: 'danger' },
  CANCELLED: { label: 'Cancelado', tone: 'neutral' },
} as const satisfies Record<string, Status>
export type PaymentStatus = keyof typeof paymentStatuses

/** Still to be paid or confirmed. */
export function isOpenPayment({ status }: { status: PaymentStatus }): boolean {
  return status === 'PENDING' || status === 'PROCESSING'
}

interface Money {
  status: PaymentStatus
  /** What was asked for. */
  amount: number
  /** What came in, where that is another amount. A server of an older build says null where it is not. */
  received?: number | null | undefined
  refunded?: number | undefined
}

/** What a payment is worth: once it is paid, what came in, as its document and the sums say. */
export function worthOf({ status, amount, received }: Money): number {
  return status === 'SUCCESS' ? (received ?? amount) : amount
}

/** What went back of a payment; undefined where nothing did. */
export function refundLabel({ refunded = 0, ...payment }: Money): string | undefined {
  if (refunded <= 0) return undefined
  return refunded < worthOf(payment) ? 'Reembolsado em parte' : 'Reembolsado'
}

export const billingCycleLabels = {
  monthly: 'Mensal',
  quarterly: 'Trimestral',
  yearly: 'Anual',
} as const
export type BillingCycle = keyof typeof billingCycleLabels

/** "Essencial · Mensal"; a cycle that this build does not know shows its name. */
export function planAndCycle(planName: string, billingCycle: BillingCycle): string {
  return `${planName} · ${billingCycleLabels[billingCycle] ?? billingCycle}`
}

/** The lines of a price, as the server sends them in the reader's order. */
export const priceLineLabels = {
  plan: 'Valor do plano',
  prorated: 'Cobrança proporcional',
  proratedCredit: 'Crédito proporcional',
  carriedOver: 'Valor pendente de antes',
  creditUsed: 'Crédito usado',
  creditKept: 'Reembolso em crédito',
  carried: 'Fica para a próxima cobrança',
  forgiven: 'Abatimento',
  refunded: 'Valor devolvido',
  received: 'Valor recebido',
} as const

const historyEntries = {
  created: { label: 'Assinatura criada', tone: 'info' },
  activated: { label: 'Assinatura ativada', tone: 'success' },
  upgraded: { label: 'Upgrade de plano', tone: 'success' },
  downgrade_scheduled: { label: 'Downgrade agendado', tone: 'info' },
  downgraded: { label: 'Downgrade aplicado', tone: 'info' },
  changed: { label: 'Plano alterado', tone: 'info' },
  pending_change_withdrawn: { label: 'Mudança agendada desfeita', tone: 'info' },
  canceled: { label: 'Assinatura cancelada', tone: 'neutral' },
  reactivated: { label: 'Assinatura reativada', tone: 'success' },
  renewed: { label: 'Assinatura renovada', tone: 'success' },
  renewal_failed: { label: 'Renovação não paga', tone: 'danger' },
  suspended: { label: 'Assinatura suspensa', tone: 'warning' },
  expired: { label: 'Assinatura expirada', tone: 'danger' },
  credited: { label: 'Crédito lançado', tone: 'info' },
} as const satisfies Record<string, Status>

/** What happened to a subscription; a kind that this build does not know shows its name. */
export function historyEntry(type: keyof typeof historyEntries): Status {
  return statusNamed(historyEntries, type)
}

/**
 * `counted(0, 'usuário', 'usuários', 'Nenhum')` is "Nenhum usuário"; from one on the number is written out in digits.
 */
export function counted(count: number, one: string, many: string, none: string): string {
  if (count === 0) return `${none} ${one}`
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** Value and label of each word of a table, for the options of a select. */
export function optionsOf(table: Record<string, { label: string }>): [value: string, label: string][] {
  return Object.entries(table).map(([value, { label }]) => [value, label])
}
