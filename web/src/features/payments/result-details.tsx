// The receipt: its head with amount and status, and its lines. What has succeeded says what its document says.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { invoiceQuery, methodText, numberText, periodText, planText, type Invoice } from '../../api/invoices'
import { methodKind, methodLabel } from '../../api/payment-methods'
import type { Payment } from '../../api/payments'
import { formatDate, formatDateTime } from '../../lib/dates'
import { isOpenPayment, worthOf, type PaymentStatus } from '../../lib/labels'
import { formatMinor } from '../../lib/money'
import { invoicePath } from '../../lib/paths'
import { isAhead } from '../../live/subscription-state'
import { announce } from '../../ui/announcer'
import { Badge } from '../../ui/badge'
import { buttonClass } from '../../ui/button'
import { COPY_FAILED, copyText, useCopied } from '../../ui/copy-field'
import { cx } from '../../ui/cx'
import { IconButton } from '../../ui/icon-button'
import { CheckIcon, CopyIcon, InvoiceIcon } from '../../ui/icons'
import { PaymentStatusBadge } from '../../ui/payment-status-badge'
import { notifyError } from '../../ui/toast'
import { descriptionOf, providerLabel } from './labels'
import { usePlans } from './payment-state'

/** The beam sweeps over it when the payment is approved and bought something. */
export function ResultMark({ status, payment }: { status: PaymentStatus; payment: Payment }) {
  return (
    <div
      key={status}
      data-bipe={status === 'SUCCESS' && !payment.credited ? '' : undefined}
      className="grid gap-2 rounded-control bg-sunken px-4 py-3"
    >
      <span className="caption-mono truncate">Pagamento {payment.id.slice(0, 8)}</span>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="text-h1 font-bold tabular-nums">{formatMinor(worthOf(payment), payment.currency)}</span>
        <span className="flex flex-wrap gap-1">
          <PaymentStatusBadge status={status} />
          {payment.disputed && <Badge tone="danger">Contestado</Badge>}
        </span>
      </div>
    </div>
  )
}

export function ResultDetails({ payment, onLeave }: { payment: Payment; onLeave: (() => void) | undefined }) {
  const { refunded = 0 } = payment
  const paid = payment.status === 'SUCCESS'
  const document = useQuery({ ...invoiceQuery(payment.companyId, payment.id), enabled: paid })
  const plans = usePlans(payment.companyId)
  const plan = descriptionOf(payment, plans)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <dl className="tear grid grid-cols-[minmax(0,1fr)] gap-2 pt-4">
        {document.data ? (
          <Documented invoice={document.data} startedAt={payment.createdAt} />
        ) : (
          <Undocumented payment={payment} plan={plan} />
        )}
        {refunded > 0 && <Detail label="Reembolsado" value={formatMinor(refunded, payment.currency)} />}
      </dl>
      {document.data && (
        <Link
          to={invoicePath(document.data.id)}
          onClick={onLeave}
          className={buttonClass({ variant: 'secondary' }, 'no-print justify-self-start max-sm:w-full')}
        >
          <InvoiceIcon />
          Ver fatura {numberText(document.data)}
        </Link>
      )}
      <Technical payment={payment} />
    </div>
  )
}

/** "Data" is the instant of its row in the list: a PIX or a boleto is paid later. */
function Documented({ invoice, startedAt }: { invoice: Invoice; startedAt: string }) {
  const period = periodText(invoice)
  return (
    <>
      <Detail label="Plano" value={planText(invoice)} />
      {period && <Detail label="Período" value={period} />}
      <Detail label="Empresa" value={invoice.payer.name} />
      {invoice.paidBy && <Detail label="Pago por" value={invoice.paidBy} />}
      <Detail label="Valor" value={formatMinor(invoice.total, invoice.currency)} />
      <Detail label="Forma de pagamento" value={methodText(invoice)} />
      <Detail label="Data" value={formatDateTime(startedAt)} />
      <Detail label="Pago em" value={formatDateTime(invoice.at)} />
      {invoice.becameCredit && <Detail label="Resultado" value="Virou crédito da empresa" />}
    </>
  )
}

function Undocumented({ payment, plan }: { payment: Payment; plan: string }) {
  return (
    <>
      <Detail label="Plano" value={plan} />
      <Detail label="Valor" value={formatMinor(worthOf(payment), payment.currency)} />
      <Detail label="Forma de pagamento" value={methodLabel(payment.paymentMethod)} />
      <Detail label="Data" value={formatDateTime(payment.createdAt)} />
      {isOpenPayment(payment) && payment.expiresAt && (
        <Deadline at={payment.expiresAt} isBoleto={methodKind(payment.paymentMethod) === 'boleto'} />
      )}
    </>
  )
}

/** A boleto is due on a day, a code ends at an instant. */
function Deadline({ at, isBoleto }: { at: string; isBoleto: boolean }) {
  return isBoleto ? (
    <Detail label={isAhead(at) ? 'Vence em' : 'Venceu em'} value={formatDate(at)} />
  ) : (
    <Detail label="Expira em" value={formatDateTime(at)} />
  )
}

/** For whoever asks the support. */
function Technical({ payment }: { payment: Payment }) {
  return (
    <details className="no-print text-caption text-muted">
      <summary className="cursor-pointer">Detalhes técnicos</summary>
      <dl className="mt-2 grid grid-cols-[minmax(0,1fr)] gap-1">
        <div className="flex items-center justify-between gap-4">
          <dt>Pagamento</dt>
          <dd className="flex min-w-0 items-center gap-1">
            <span className="truncate font-mono">{payment.id}</span>
            <CopyId id={payment.id} />
          </dd>
        </div>
        <Detail label="Provedor" value={providerLabel(payment.provider)} />
        {payment.transactionId && <Detail label="ID da transação" value={payment.transactionId} mono />}
      </dl>
    </details>
  )
}

function Detail({ label, value, mono }: { label: string; value: string; mono?: boolean }) {
  return (
    <div className="flex items-baseline justify-between gap-4 enlarged:flex-wrap enlarged:gap-y-0">
      <dt className="shrink-0 text-muted">{label}</dt>
      <dd className={cx('min-w-0 text-right wrap-anywhere', mono ? 'font-mono' : 'tabular-nums')}>{value}</dd>
    </div>
  )
}

function CopyId({ id }: { id: string }) {
  const [copied, setCopied] = useCopied()
  const copy = async () => {
    if (!(await copyText(id))) return notifyError(COPY_FAILED)
    setCopied(true)
    announce('Código Copiado!')
  }
  const Glyph = copied ? CheckIcon : CopyIcon
  return (
    <IconButton
      label={copied ? 'Código Copiado!' : 'Copiar ID do pagamento'}
      onClick={() => void copy()}
      className="-mr-[7px] size-8"
    >
      <Glyph />
    </IconButton>
  )
}
