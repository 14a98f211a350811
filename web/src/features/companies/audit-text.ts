// An entry of the company's audit in words, for the list and for the file.
import { actText, fieldsText, outcomeText } from '../../api/audit-words'
import type { CompanyAuditEntry } from '../../api/company-audit'
import { brandLabel } from '../../lib/card-brand'
import { csvMoment, csvOf } from '../../lib/csv'
import { formatMinor } from '../../lib/money'

/** The name of a platform admin is not shown to companies. */
export function actorText({ by, actorName }: Pick<CompanyAuditEntry, 'by' | 'actorName'>): string {
  if (by === 'support') return 'Suporte do Bipe'
  return by === 'system' ? 'Sistema' : (actorName ?? 'Conta excluída')
}

/** Whom or what it was about; empty when that has no name. */
export function targetText(target: CompanyAuditEntry['target']): string {
  if (!target) return ''
  const { name, brand, last4, amount } = target
  if (name) return name
  if (brand && last4) return `${brandLabel(brand)} final ${last4}`
  return amount == null ? '' : formatMinor(amount)
}

/** What else is known: that it failed, and which fields changed. */
export function detailText({ outcome, fields }: Pick<CompanyAuditEntry, 'outcome' | 'fields'>): string {
  return [outcomeText(outcome), fieldsText(fields)].filter(Boolean).join(' · ')
}

const COLUMNS = ['Data', 'Quem', 'Atividade', 'Sobre', 'Detalhes']

export function toCsv(entries: readonly CompanyAuditEntry[]): string {
  return csvOf(
    COLUMNS,
    entries.map((entry) => [
      csvMoment(entry.at),
      actorText(entry),
      actText(entry.action),
      targetText(entry.target),
      detailText(entry),
    ]),
  )
}
