// Lines of the ledger and of the statement in words: what moved, for which plan, by which method. Pure.
import { paymentStatuses, planAndCycle, priceLineLabels, type Tone } from '../lib/labels'
import { formatMinor } from '../lib/money'
import type { ChangeType } from './subscriptions'
import { methodLabel } from './payment-methods'
import { reasonOf } from './payment-reasons'
import type { CreditKind, MoneySubject, Transaction, TransactionKind } from './statement'

export const transactionKinds: Record<TransactionKind, { label: string; tone: Tone }> = {
  charge: { label: 'Cobrança', tone: 'success' },
  credit: { label: 'Crédito', tone: 'info' },
  refund: { label: 'Reembolso', tone: 'neutral' },
  attempt: { label: 'Tentativa', tone: 'warning' },
}

/** Behind "Usado" and "Crédito". */
const changes: Record<ChangeType, { used: string; of: string; label: string }> = {
  creation: { used: 'na assinatura', of: 'da assinatura', label: 'Assinatura' },
  renewal: { used: 'na renovação', of: 'da renovação', label: 'Renovação' },
  upgrade: { used: 'no upgrade', of: 'do upgrade', label: 'Upgrade' },
  downgrade: { used: 'no downgrade', of: 'do downgrade', label: 'Downgrade' },
  other: { used: 'na mudança de plano', of: 'da mudança de plano', label: 'Mudança de plano' },
}

/** A change that this build does not know is some change. */
function changeWords(change: ChangeType | null | undefined) {
  return changes[change ?? 'other'] ?? changes.other
}

/** Why the credit moved; a kind that this build does not know is a movement. */
export function creditText(
  kind: CreditKind | null | undefined,
  { amount, change }: { amount: number } & Pick<MoneySubject, 'change'>,
): string {
  switch (kind) {
    case 'proration':
      return `Crédito ${changeWords(change).of}`
    case 'used':
      return change ? `Crédito usado ${changeWords(change).used}` : priceLineLabels.creditUsed
    case 'overpayment':
      return 'Pagamento acima do valor devido'
    case 'unapplied_payment':
      return 'Pagamento atrasado ou em dobro'
    case 'early_end':
      return 'Período pago e não usado'
    case 'carried':
      return amount < 0 ? priceLineLabels.carried : 'Valor pendente quitado'
    case 'forgiven':
      return priceLineLabels.forgiven
    default:
      return 'Movimentação de crédito'
  }
}

/** "Essencial · Mensal"; empty where no plan is known. */
export function planOf({ planName, billingCycle }: Pick<MoneySubject, 'planName' | 'billingCycle'>): string {
  if (!planName) return ''
  return billingCycle ? planAndCycle(planName, billingCycle) : planName
}

function methodOf({ method }: Pick<MoneySubject, 'method'>): string {
  return method ? methodLabel(method) : ''
}

/** What a line is about, and what else is known of it. */
export function lineTexts(line: Transaction): { title: string; note: string } {
  const [plan, method] = [planOf(line), methodOf(line)]
  const parts = (...texts: string[]) => texts.filter(Boolean).join(' · ')
  switch (line.kind) {
    case 'credit':
      return { title: creditText(line.creditKind, line), note: parts(plan, method) }
    case 'refund':
      return { title: line.amount < 0 ? 'Devolução desfeita' : 'Valor devolvido', note: parts(plan, method) }
    case 'attempt':
      return { title: plan, note: parts(method, attemptText(line)) }
    default:
      return { title: plan, note: parts(line.change ? changeWords(line.change).label : '', method) }
  }
}

/** The status, and of a refusal its reason. A status that this build does not know shows its name. */
export function attemptText({ status, failureCode }: Pick<Transaction, 'status' | 'failureCode'>): string {
  if (failureCode) return reasonOf({ failureCode })
  return status ? (paymentStatuses[status]?.label ?? status) : ''
}

/** A refund and used credit are below zero; an attempt has its amount, although no money has moved. */
export function signedAmount({ kind, amount }: Pick<Transaction, 'kind' | 'amount'>): number {
  return kind === 'refund' ? -amount : amount
}

/** "+R$ 9,90", "-R$ 9,90". */
export function formatSigned(minor: number): string {
  return minor > 0 ? `+${formatMinor(minor)}` : formatMinor(minor)
}
