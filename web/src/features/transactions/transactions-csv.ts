// The filtered statement as a CSV file: all pages, not only the shown one.
import { methodLabel } from '../../api/payment-methods'
import { transactionsPage, type Transaction, type TransactionFilter } from '../../api/statement'
import { attemptText, lineTexts, planOf, signedAmount, transactionKinds } from '../../api/statement-words'
import { csvOf } from '../../lib/csv'
import { dayOf, formatDateTime } from '../../lib/dates'
import { toReais } from '../../lib/money'
import { saveCsv } from '../../ui/save-file'

const BATCH = 100
/** Ten years of a company that pays every day, and an end for whatever goes wrong. */
const MOST = 5_000
const COLUMNS = ['Data', 'Tipo', 'Descrição', 'Plano', 'Forma de pagamento', 'Valor', 'Situação', 'Fatura', 'Pagamento']

export async function downloadTransactions(companyId: string, filter: TransactionFilter): Promise<void> {
  const rows: Transaction[] = []
  for (let page = 1; rows.length < MOST; page += 1) {
    const { transactions, total } = await transactionsPage(companyId, filter, page, BATCH)
    rows.push(...transactions)
    if (transactions.length < BATCH || rows.length >= total) break
  }
  saveCsv(`transacoes-${dayOf(Date.now())}.csv`, toCsv(rows))
}

/** Amounts as numbers, below zero too: a spreadsheet calculates with them. */
export function toCsv(lines: readonly Transaction[]): string {
  const rows = lines.map((line) => [
    formatDateTime(line.at),
    transactionKinds[line.kind]?.label ?? line.kind,
    lineTexts(line).title,
    planOf(line),
    line.method ? methodLabel(line.method) : null,
    toReais(signedAmount(line)),
    attemptText(line),
    line.invoiceNumber == null ? null : String(line.invoiceNumber).padStart(6, '0'),
    line.paymentId ?? null,
  ])
  return csvOf(COLUMNS, rows)
}
