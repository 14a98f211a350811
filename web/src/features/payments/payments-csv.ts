// The filtered payments as a CSV file: all pages, not only the shown one.
import type { Payment, PaymentFilter, PaymentPage } from '../../api/payments'
import { paymentsPage } from '../../api/payments'
import { csvOf } from '../../lib/csv'
import { dayOf, formatDateTime } from '../../lib/dates'
import { paymentMethodLabels, paymentStatusLabels } from '../../lib/labels'
import { toReais } from '../../lib/money'
import { saveCsv } from '../../ui/save-file'

const BATCH = 100
const COLUMNS = ['Pagamento', 'Data', 'Forma de pagamento', 'Valor', 'Moeda', 'Status', 'ID da transação']

export async function downloadPayments(companyId: string, filter: PaymentFilter): Promise<void> {
  const rows: Payment[] = []
  for (let page = 1; ; page += 1) {
    const answer: PaymentPage = await paymentsPage(companyId, filter, page, BATCH)
    rows.push(...answer.payments)
    if (answer.payments.length < BATCH || rows.length >= answer.total) break
  }
  saveCsv(`pagamentos-${dayOf(Date.now())}.csv`, toCsv(rows))
}

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
  return csvOf(COLUMNS, rows)
}
