// The filtered payments as a CSV file: all pages, not only the shown one.
import type { Payment, PaymentFilter, PaymentPage } from '../../api/payments'
import { paymentsPage } from '../../api/payments'
import { dayOf, formatDateTime } from '../../lib/dates'
import { paymentMethodLabels, paymentStatusLabels } from '../../lib/labels'
import { toReais } from '../../lib/money'

const BATCH = 100
const COLUMNS = ['Pagamento', 'Data', 'Forma de pagamento', 'Valor', 'Moeda', 'Status', 'ID da transação']

export async function downloadPayments(companyId: string, filter: PaymentFilter): Promise<void> {
  const rows: Payment[] = []
  for (let page = 1; ; page += 1) {
    const answer: PaymentPage = await paymentsPage(companyId, filter, page, BATCH)
    rows.push(...answer.payments)
    if (answer.payments.length < BATCH || rows.length >= answer.total) break
  }
  save(`pagamentos-${dayOf(Date.now())}.csv`, toCsv(rows))
}

/** Semicolons and a decimal comma: what spreadsheets expect in Brazil. */
export function toCsv(payments: readonly Payment[]): string {
  const rows = payments.map((payment) => [
    payment.id,
    formatDateTime(payment.createdAt),
    paymentMethodLabels[payment.paymentMethod],
    toReais(payment.amount).toFixed(2).replace('.', ','),
    payment.currency.toUpperCase(),
    paymentStatusLabels[payment.status],
    payment.transactionId ?? '',
  ])
  return [COLUMNS, ...rows].map((row) => row.map(quoted).join(';')).join('\r\n')
}

/** A cell that starts like a formula is text, also for a spreadsheet. */
function quoted(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[";\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function save(name: string, text: string): void {
  // The byte order mark tells spreadsheets that this is UTF-8.
  const url = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
