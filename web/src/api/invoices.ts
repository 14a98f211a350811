// The documents of a company's payments and their cache keys. Amounts are integer minor units.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { brandLabel } from '../lib/card-brand'
import { formatDate } from '../lib/dates'
import { planAndCycle } from '../lib/labels'
import type { KindFilter } from '../ui/list-filters'
import { api, unwrap, unwrapFile, type Schemas } from './client'
import { methodLabel } from './payment-methods'

export type Invoice = Schemas['Invoice']
export type InvoiceKind = Schemas['InvoiceKind']
export type InvoicePage = Schemas['Invoices']

export type InvoiceFilter = KindFilter<InvoiceKind>

export const invoiceKeys = {
  ofCompany: (companyId: string) => ['invoices', companyId] as const,
}

export function invoicesPage(
  companyId: string,
  filter: InvoiceFilter,
  page: number,
  limit: number,
  signal?: AbortSignal,
): Promise<InvoicePage> {
  return unwrap(
    api.GET('/api/companies/{id}/invoices', {
      params: { path: { id: companyId }, query: { page, limit, ...filter } },
      signal,
    }),
  )
}

export function invoicesQuery(companyId: string, filter: InvoiceFilter, page: number, limit: number) {
  return queryOptions({
    queryKey: [...invoiceKeys.ofCompany(companyId), 'list', filter, page, limit],
    queryFn: ({ signal }) => invoicesPage(companyId, filter, page, limit, signal),
    placeholderData: keepPreviousData,
  })
}

/** A document never changes. */
export function invoiceQuery(companyId: string, invoiceId: string) {
  return queryOptions({
    queryKey: [...invoiceKeys.ofCompany(companyId), 'one', invoiceId],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/companies/{id}/invoices/{invoiceId}', { params: { path: { id: companyId, invoiceId } }, signal }),
      ).then(({ invoice }) => invoice),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The document as a PDF file. */
export function invoiceFile(companyId: string, invoiceId: string): Promise<Blob> {
  const params = { path: { id: companyId, invoiceId } }
  return unwrapFile(api.GET('/api/companies/{id}/invoices/{invoiceId}/pdf', { params, parseAs: 'blob' }))
}

/** The documents of a year as a ZIP file. */
export function invoicesOfYear(companyId: string, year: number): Promise<Blob> {
  const params = { path: { id: companyId }, query: { year } }
  return unwrapFile(api.GET('/api/companies/{id}/invoices/zip', { params, parseAs: 'blob' }))
}

/** Answers the addresses that it goes to. */
export function sendInvoice(companyId: string, invoiceId: string, key: string): Promise<string[]> {
  return unwrap(
    api.POST('/api/companies/{id}/invoices/{invoiceId}/send', {
      params: { path: { id: companyId, invoiceId } },
      headers: { 'idempotency-key': key },
    }),
  ).then(({ sentTo }) => sentTo)
}

/** `000123` */
export function numberText({ number }: Pick<Invoice, 'number'>): string {
  return String(number).padStart(6, '0')
}

/** "Visa 4242", "PIX"; a dash for what nobody paid. */
export function methodText({ payment }: Pick<Invoice, 'payment'>): string {
  if (!payment) return '—'
  return payment.card ? `${brandLabel(payment.card.brand)} ${payment.card.last4}` : methodLabel(payment.method)
}

/** "Negócio · Mensal" */
export function planText({ planName, billingCycle }: Pick<Invoice, 'planName' | 'billingCycle'>): string {
  return planAndCycle(planName, billingCycle)
}

export function periodText({ period }: Pick<Invoice, 'period'>): string | null {
  return period ? `${formatDate(period.start)} a ${formatDate(period.end)}` : null
}
