// The filtered statement as a CSV file: all pages, not only the shown one.
import { numberText } from '../../api/invoices'
import { methodLabel } from '../../api/payment-methods'
import { transactionsPage, type Transaction, type TransactionFilter } from '../../api/statement'
import { attemptText, lineTexts, planOf, signedAmount, transactionKinds } from '../../api/statement-words'
import { allPages } from '../../lib/all-pages'
import { csvAmount, csvMoment, csvOf } from '../../lib/csv'
import { dayOf } from '../../lib/dates'
import { serverNow } from '../../live/server-clock'
import { saveCsv } from '../../ui/save-file'

const COLUMNS = [
  'Data',
  'Tipo',
  'Descrição',
  'Plano',
  'Forma de pagamento',
  'Valor',
  'Valor tentado',
  'Situação',
  'Fatura',
  'Pagamento',
]

export async function downloadTransactions(companyId: string, filter: TransactionFilter): Promise<void> {
  const rows = await allPages(async (page, limit) => {
    const { transactions, total } = await transactionsPage(companyId, filter, page, limit)
    return { rows: transactions, total }
  })
  saveCsv(`transacoes-${dayOf(serverNow())}.csv`, toCsv(rows))
}

/** A spreadsheet calculates with the amounts: what was only tried, and moved nothing, stands in a column of its own. */
export function toCsv(lines: readonly Transaction[]): string {
  const rows = lines.map((line) => {
    const amount = csvAmount(signedAmount(line))
    const isAttempt = line.kind === 'attempt'
    return [
      csvMoment(line.at),
      transactionKinds[line.kind]?.label ?? line.kind,
      lineTexts(line).title,
      planOf(line),
      line.method ? methodLabel(line.method) : null,
      isAttempt ? null : amount,
      isAttempt ? amount : null,
      attemptText(line),
      line.invoiceNumber == null ? null : numberText({ number: line.invoiceNumber }),
      line.paymentId ?? null,
    ]
  })
  return csvOf(COLUMNS, rows)
}
