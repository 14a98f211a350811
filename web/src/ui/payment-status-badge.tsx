// The state of a payment. While it is on its way, the clock stands in for the state's own icon.
import { isOpenPayment, paymentStatuses, type PaymentStatus } from '../lib/labels'
import { StatusBadge } from './badge'

export interface PaymentStatusBadgeProps {
  status: PaymentStatus
  pending?: boolean
}

/** A state that this build does not know shows its name. */
export function PaymentStatusBadge({ status, pending = isOpenPayment({ status }) }: PaymentStatusBadgeProps) {
  return (
    <StatusBadge tone={paymentStatuses[status]?.tone ?? 'neutral'} pending={pending}>
      {paymentStatuses[status]?.label ?? status}
    </StatusBadge>
  )
}
