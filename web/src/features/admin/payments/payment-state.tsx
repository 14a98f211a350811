// The status of a payment and what else has become of it, in its row, in its sheet and in that of its company.
import type { AdminPayment } from '../../../api/admin-payments'
import { refundLabel } from '../../../lib/labels'
import { Badge } from '../../../ui/badge'
import { PaymentStatusBadge } from '../../../ui/payment-status-badge'

type Settlement = Pick<
  AdminPayment,
  'status' | 'failureCode' | 'amount' | 'received' | 'refunded' | 'disputed' | 'credited'
>

export function PaymentState({ payment }: { payment: Settlement }) {
  const { status, failureCode, disputed, credited } = payment
  const refund = refundLabel(payment)
  return (
    <span className="inline-flex flex-wrap gap-1 max-sm:justify-end">
      <PaymentStatusBadge status={status} />
      {failureCode === 'under_review' && <Badge tone="warning">Em análise</Badge>}
      {refund && <Badge tone="info">{refund}</Badge>}
      {disputed && <Badge tone="danger">Contestado</Badge>}
      {credited && <Badge tone="info">Virou crédito</Badge>}
    </span>
  )
}
