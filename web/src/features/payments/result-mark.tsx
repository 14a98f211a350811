// The head of the receipt: caption, amount and status. The beam sweeps over it when the payment is approved.
import type { Payment } from '../../api/payments'
import { paymentStatusLabels, paymentStatusTones, type PaymentStatus } from '../../lib/labels'
import { formatMinor } from '../../lib/money'
import { StatusBadge } from '../../ui/badge'

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
        <StatusBadge
          tone={paymentStatusTones[status] ?? 'neutral'}
          pending={status === 'PENDING' || status === 'PROCESSING'}
        >
          {paymentStatusLabels[status] ?? status}
        </StatusBadge>
      </div>
    </div>
  )
}
