// The state of a payment. While it is on its way, the clock stands in for the state's own icon.
import { isOpenPayment, paymentStatuses, statusNamed, type PaymentStatus } from '../lib/labels'
import { StatusBadge } from './badge'

/** A state that this build does not know shows its name. */
export function PaymentStatusBadge({ status }: { status: PaymentStatus }) {
  const { label, tone } = statusNamed(paymentStatuses, status)
  return <StatusBadge label={label} tone={tone} pending={isOpenPayment({ status })} />
}
