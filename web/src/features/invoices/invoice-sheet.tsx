// A document as a sheet of paper: who issued it to whom, what for, its lines, and how it was paid. On paper it stands
// alone (`print-sheet` in main.css).
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { methodText, numberText, periodText, planText, type Invoice } from '../../api/invoices'
import { formatDate, formatDateTime } from '../../lib/dates'
import { priceLineLabels } from '../../lib/labels'
import { formatMinor } from '../../lib/money'
import { invoicePath, paymentPath } from '../../lib/paths'
import { namedTaxId } from '../../lib/tax-id'
import { Brand } from '../../ui/brand'
import { NOT_FISCAL, noteOf, titleOf } from './words'

export function InvoiceSheet({ invoice }: { invoice: Invoice }) {
  const note = noteOf(invoice)
  const period = periodText(invoice)
  return (
    <article
      aria-labelledby="invoice-title"
      className="print-sheet grid grid-cols-[minmax(0,1fr)] gap-6 rounded-card border border-line bg-surface p-4 sm:p-8"
    >
      <header className="flex flex-wrap items-start justify-between gap-4">
        <Brand />
        <div className="grid gap-0.5 sm:text-right">
          <h2 id="invoice-title" className="text-h3 font-semibold">
            {titleOf(invoice)}
          </h2>
          <p className="font-mono tabular-nums">Nº {numberText(invoice)}</p>
          <p className="text-label text-muted tabular-nums">Emitido em {formatDateTime(invoice.issuedAt)}</p>
        </div>
      </header>
      <div className="tear grid gap-6 pt-6 sm:grid-cols-2 print:grid-cols-2">
        <Issuer invoice={invoice} />
        <Payer invoice={invoice} />
      </div>
      <dl className="tear grid gap-x-6 gap-y-3 pt-6 sm:grid-cols-2 print:grid-cols-2">
        <Detail name="Data">{formatDateTime(invoice.at)}</Detail>
        <Detail name="Plano">{planText(invoice)}</Detail>
        {period && <Detail name="Período">{period}</Detail>}
        <Detail name="Forma de pagamento">{methodText(invoice)}</Detail>
        {invoice.paidBy && (
          <Detail name={invoice.kind === 'change' ? 'Escolhido por' : 'Pago por'}>{invoice.paidBy}</Detail>
        )}
        {invoice.payment && <Origin kind={invoice.kind} at={invoice.at} paymentId={invoice.payment.id} />}
      </dl>
      <Lines invoice={invoice} />
      {note && <p>{note}</p>}
      <footer className="tear grid gap-1 pt-4 text-label text-muted">
        <p>{NOT_FISCAL}</p>
        {invoice.payment?.reference && (
          <p className="wrap-anywhere">
            Referência do provedor: <span className="font-mono">{invoice.payment.reference}</span>
          </p>
        )}
      </footer>
    </article>
  )
}

/** The payment; of a refund, whose day is not the payment's, the document of the payment, which has the same id. */
function Origin({ kind, at, paymentId }: Pick<Invoice, 'kind' | 'at'> & { paymentId: string }) {
  const isRefund = kind === 'refund'
  return (
    <Detail name={isRefund ? 'Referente a' : 'Pagamento'}>
      <Link to={isRefund ? invoicePath(paymentId) : paymentPath(paymentId)} className="underline print:no-underline">
        {isRefund ? 'Fatura do pagamento' : `de ${formatDate(at)}`}
      </Link>
    </Detail>
  )
}

function Party({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid content-start gap-0.5">
      <h3 className="caption-mono">{title}</h3>
      {children}
    </section>
  )
}

function Issuer({ invoice: { issuer } }: { invoice: Invoice }) {
  return (
    <Party title="Emitido por">
      {issuer.name ? (
        <>
          <p className="font-medium wrap-anywhere">{issuer.name}</p>
          <p className="tabular-nums">{namedTaxId(issuer.taxId)}</p>
          {issuer.address && <p className="wrap-anywhere">{issuer.address}</p>}
          {issuer.email && <p className="wrap-anywhere">{issuer.email}</p>}
        </>
      ) : (
        <p className="text-muted">Emissor ainda não configurado</p>
      )}
    </Party>
  )
}

function Payer({ invoice: { payer } }: { invoice: Invoice }) {
  return (
    <Party title="Para">
      <p className="font-medium wrap-anywhere">{payer.name}</p>
      {payer.taxId && <p className="tabular-nums">{namedTaxId(payer.taxId)}</p>}
      {payer.address && <p className="wrap-anywhere whitespace-pre-line">{payer.address}</p>}
    </Party>
  )
}

function Detail({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid content-start">
      <dt className="text-label text-muted">{name}</dt>
      <dd className="wrap-anywhere tabular-nums">{children}</dd>
    </div>
  )
}

function Lines({ invoice: { lines, total, taxes, currency } }: { invoice: Invoice }) {
  return (
    <table className="w-full tabular-nums">
      <caption className="sr-only">Itens</caption>
      <thead>
        <tr className="border-b border-line text-label text-muted">
          <th scope="col" className="py-2 text-left font-medium">
            Descrição
          </th>
          <th scope="col" className="py-2 text-right font-medium">
            Valor
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ kind, amount }, index) => (
          <tr key={`${index} ${kind}`} className="border-b border-line">
            <td className="py-2 pr-4">{priceLineLabels[kind] ?? kind}</td>
            <td className="py-2 text-right whitespace-nowrap">{formatMinor(amount, currency)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr className="text-label text-muted">
          <td className="pt-2 pr-4">Tributos incluídos</td>
          <td className="pt-2 text-right">{taxes === 0 ? 'não informados' : formatMinor(taxes, currency)}</td>
        </tr>
        <tr>
          <th scope="row" className="pt-1 pr-4 text-left text-h3">
            Total
          </th>
          <td className="pt-1 text-right text-h3 font-bold whitespace-nowrap">{formatMinor(total, currency)}</td>
        </tr>
      </tfoot>
    </table>
  )
}
