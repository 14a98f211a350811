// The filtered payments as a CSV file: all pages, not only the shown one.
import { methodLabel } from '../../api/payment-methods'
import { paymentsPage, type Payment, type PaymentFilter } from '../../api/payments'
import { allPages } from '../../lib/all-pages'
import { csvMoment, csvOf } from '../../lib/csv'
import { dayOf } from '../../lib/dates'
import { paymentStatuses, worthOf } from '../../lib/labels'
import { decimalsOf } from '../../lib/money'
import { serverNow } from '../../live/server-clock'
import { saveCsv } from '../../ui/save-file'
import { descriptionOf, type NamedPlan } from './labels'

/** A new column is the last one: others read the file by the order of its columns. */
const COLUMNS = [
  'Pagamento',
  'Data',
  'Descrição',
  'Forma de pagamento',
  'Valor',
  'Moeda',
  'Status',
  'Reembolsado',
  'Virou crédito',
  'ID da transação',
  'Contestado',
]

export async function downloadPayments(
  companyId: string,
  filter: PaymentFilter,
  plans: readonly NamedPlan[],
): Promise<void> {
  const rows = await allPages(async (page, limit) => {
    const { payments, total } = await paymentsPage(companyId, filter, page, limit)
    return { rows: payments, total }
  })
  saveCsv(`pagamentos-${dayOf(serverNow())}.csv`, toCsv(rows, plans))
}

export function toCsv(payments: readonly Payment[], plans: readonly NamedPlan[]): string {
  const rows = payments.map((payment) => [
    payment.id,
    csvMoment(payment.createdAt),
    descriptionOf(payment, plans),
    methodLabel(payment.paymentMethod),
    amountOf(worthOf(payment), payment.currency),
    payment.currency.toUpperCase(),
    paymentStatuses[payment.status]?.label ?? payment.status,
    amountOf(payment.refunded ?? 0, payment.currency),
    payment.credited ? 'Sim' : 'Não',
    payment.transactionId ?? '',
    payment.disputed ? 'Sim' : 'Não',
  ])
  return csvOf(COLUMNS, rows)
}

/** With a decimal comma; currencies without decimals have none. */
function amountOf(amount: number, currency: string): string {
  const decimals = decimalsOf(currency)
  return (amount / 10 ** decimals).toFixed(decimals).replace('.', ',')
}
