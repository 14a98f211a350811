// Why a payment was refused, above the fields of its checkout. On a phone the button that was pressed is far below.
import { Alert } from '../../ui/alert'
import { FailureAlert } from '../../ui/failure-alert'
import { FailureDetails } from '../../ui/failure-details'
import { useIntoSight } from '../../ui/use-into-sight'
import type { CheckoutError } from './use-checkout'

export function CheckoutAlert({ error }: { error: CheckoutError }) {
  const place = useIntoSight<HTMLDivElement>(error)
  return (
    <div ref={place} className="empty:hidden">
      {/* A rate limit counts down, which an alert would read out every second. */}
      {error.failure?.code === 'RATE_LIMITED' ? (
        <FailureAlert failure={error.failure} title={error.title} />
      ) : (
        <Alert tone="danger" role="alert" title={error.title}>
          <p>{error.sentence}</p>
          <FailureDetails code={error.details} />
        </Alert>
      )}
    </div>
  )
}
