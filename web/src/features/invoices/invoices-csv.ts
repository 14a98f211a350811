// The filtered documents as a CSV file: all pages, not only the shown one.
import { invoicesPage, methodText, numberText, planText, type Invoice, type InvoiceFilter } from '../../api/invoices'
import { allPages } from '../../lib/all-pages'
import { csvAmount, csvMoment, csvOf } from '../../lib/csv'
import { dayOf, formatDate } from '../../lib/dates'
import { formatTaxId } from '../../lib/tax-id'
import { serverNow } from '../../live/server-clock'
import { saveCsv } from '../../ui/save-file'
import { invoiceKinds } from './words'

const COLUMNS = [
  'Número',
  'Tipo',
  'Data',
  'Emitida em',
  'Empresa',
  'CPF ou CNPJ',
  'Emissor',
  'CPF ou CNPJ do emissor',
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
  const rows = await allPages(async (page, limit) => {
    const { invoices, total } = await invoicesPage(companyId, filter, page, limit)
    return { rows: invoices, total }
  })
  saveCsv(`faturas-${dayOf(serverNow())}.csv`, toCsv(rows))
}

/** A refund is below zero: the totals add up to what stayed. */
export function toCsv(invoices: readonly Invoice[]): string {
  const rows = invoices.map((invoice) => [
    numberText(invoice),
    invoiceKinds[invoice.kind]?.label ?? invoice.kind,
    csvMoment(invoice.at),
    csvMoment(invoice.issuedAt),
    invoice.payer.name,
    formatTaxId(invoice.payer.taxId ?? ''),
    invoice.issuer.name,
    formatTaxId(invoice.issuer.taxId),
    planText(invoice),
    invoice.period ? formatDate(invoice.period.start) : null,
    invoice.period ? formatDate(invoice.period.end) : null,
    methodText(invoice),
    csvAmount(invoice.kind === 'refund' ? -invoice.total : invoice.total),
    invoice.currency.toUpperCase(),
    invoice.becameCredit ? 'Sim' : 'Não',
    invoice.paidBy ?? null,
    invoice.payment?.reference ?? null,
  ])
  return csvOf(COLUMNS, rows)
}
