// The lines of the receipt.
import { useState } from 'react'
import { methodLabel } from '../../api/payment-methods'
import type { Payment } from '../../api/payments'
import { formatDateTime } from '../../lib/dates'
import { formatMinor } from '../../lib/money'
import { announce } from '../../ui/announcer'
import { copyText } from '../../ui/copy-field'
import { IconButton } from '../../ui/icon-button'
import { CheckIcon, CopyIcon } from '../../ui/icons'
import { providerLabel } from './labels'

export function ResultDetails({ payment }: { payment: Payment }) {
  const open = payment.status === 'PENDING' || payment.status === 'PROCESSING'
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
      {open && payment.expiresAt && <Detail label="Expira em" value={formatDateTime(payment.expiresAt)} />}
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
      <Glyph strokeWidth={1.75} aria-hidden="true" />
    </IconButton>
  )
}
