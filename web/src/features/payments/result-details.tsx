// The receipt: its head with amount and status, and its lines.
import { useState } from 'react'
import { methodLabel } from '../../api/payment-methods'
import type { Payment } from '../../api/payments'
import { formatDateTime } from '../../lib/dates'
import { isOpenPayment, type PaymentStatus } from '../../lib/labels'
import { formatMinor } from '../../lib/money'
import { announce } from '../../ui/announcer'
import { copyText } from '../../ui/copy-field'
import { IconButton } from '../../ui/icon-button'
import { CheckIcon, CopyIcon } from '../../ui/icons'
import { PaymentStatusBadge } from '../../ui/payment-status-badge'
import { providerLabel } from './labels'

/** The beam sweeps over it when the payment is approved. */
export function ResultMark({ status, payment }: { status: PaymentStatus; payment: Payment }) {
  return (
    <div
      key={status}
      data-bipe={status === 'SUCCESS' ? '' : undefined}
      className="grid gap-2 rounded-control bg-sunken px-4 py-3"
    >
      <span className="caption-mono truncate">Pagamento {payment.id.slice(0, 8)}</span>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="text-h1 font-bold tabular-nums">{formatMinor(payment.amount, payment.currency)}</span>
        <PaymentStatusBadge status={status} />
      </div>
    </div>
  )
}

export function ResultDetails({ payment }: { payment: Payment }) {
  return (
    <dl className="tear grid grid-cols-[minmax(0,1fr)] gap-2 pt-4">
      <div className="flex items-center justify-between gap-4">
        <dt className="text-muted">Pagamento</dt>
        <dd className="flex min-w-0 items-center gap-1">
          <span className="truncate font-mono text-label">{payment.id}</span>
          <CopyId id={payment.id} />
        </dd>
      </div>
      <Detail label="Valor" value={formatMinor(payment.amount, payment.currency)} />
      <Detail label="Forma de pagamento" value={methodLabel(payment.paymentMethod)} />
      <Detail label="Provedor" value={providerLabel(payment.provider)} />
      {payment.transactionId && <Detail label="ID da transação" value={payment.transactionId} mono />}
      <Detail label="Data" value={formatDateTime(payment.createdAt)} />
      {isOpenPayment(payment) && payment.expiresAt && (
        <Detail label="Expira em" value={formatDateTime(payment.expiresAt)} />
      )}
    </dl>
  )
}

function Detail({ label, value, mono }: { label: string; value: string; mono?: boolean }) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className="shrink-0 text-muted">{label}</dt>
      <dd className={mono ? 'min-w-0 truncate font-mono text-label' : 'min-w-0 truncate tabular-nums'}>{value}</dd>
    </div>
  )
}

function CopyId({ id }: { id: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await copyText(id))) return
    setCopied(true)
    announce('Código Copiado!')
  }
  const Glyph = copied ? CheckIcon : CopyIcon
  return (
    <IconButton
      label={copied ? 'Código Copiado!' : 'Copiar pagamento'}
      onClick={() => void copy()}
      onBlur={() => setCopied(false)}
      className="-mr-[7px] size-8"
    >
      <Glyph />
    </IconButton>
  )
}
