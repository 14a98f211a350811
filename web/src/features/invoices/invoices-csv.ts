// The filtered documents as a CSV file: all pages, not only the shown one.
import { invoicesPage, meansText, numberText, planText, type Invoice, type InvoiceFilter } from '../../api/invoices'
import { csvOf } from '../../lib/csv'
import { dayOf, formatDate, formatDateTime } from '../../lib/dates'
import { toReais } from '../../lib/money'
import { saveCsv } from '../../ui/save-file'
import { invoiceKinds } from './words'

const BATCH = 100
/** Ten years of a company that pays every day, and an end for whatever goes wrong. */
const MOST = 5_000
const COLUMNS = [
  'Número',
  'Tipo',
  'Data',
  'Emitida em',
  'Empresa',
  'Plano',
  'Início do período',
  'Fim do período',
  'Forma de pagamento',
  'Total',
  'Moeda',
  'Virou crédito',
  'Pago por',
  'Referência',
]

export async function downloadInvoices(companyId: string, filter: InvoiceFilter): Promise<void> {
  const rows: Invoice[] = []
  for (let page = 1; rows.length < MOST; page += 1) {
    const { invoices, total } = await invoicesPage(companyId, filter, page, BATCH)
    rows.push(...invoices)
    if (invoices.length < BATCH || rows.length >= total) break
  }
  saveCsv(`faturas-${dayOf(Date.now())}.csv`, toCsv(rows))
}

export function toCsv(invoices: readonly Invoice[]): string {
  const rows = invoices.map((invoice) => [
    numberText(invoice),
    invoiceKinds[invoice.kind].label,
    formatDateTime(invoice.at),
    formatDateTime(invoice.issuedAt),
    invoice.payer.name,
    planText(invoice),
    invoice.period ? formatDate(invoice.period.start) : null,
    invoice.period ? formatDate(invoice.period.end) : null,
    meansText(invoice),
    toReais(invoice.total).toFixed(2).replace('.', ','),
    invoice.currency.toUpperCase(),
    invoice.becameCredit ? 'Sim' : 'Não',
    invoice.paidBy ?? null,
    invoice.payment?.reference ?? null,
  ])
  return csvOf(COLUMNS, rows)
}
