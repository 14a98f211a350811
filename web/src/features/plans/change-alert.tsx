// A refused step of a subscription, said in the page until it is closed. The plan that was pressed may stand far below.
import { Alert } from '../../ui/alert'
import { FailureAlert } from '../../ui/failure-alert'
import { FailureDetails } from '../../ui/failure-details'
import { useIntoSight } from '../../ui/use-into-sight'
import type { ChangeFailure } from './use-command'

export function ChangeAlert({ failure, onClose }: { failure: ChangeFailure | null; onClose: () => void }) {
  const place = useIntoSight<HTMLDivElement>(failure)
  if (!failure) return null
  const { title, error } = failure
  return (
    <div ref={place} className="empty:hidden">
      {error.code === 'RATE_LIMITED' ? (
        <FailureAlert failure={error} title={title} />
      ) : (
        <Alert tone="danger" role="alert" title={title} onClose={onClose}>
          <p>{error.sentence}</p>
          <FailureDetails code={error.code} requestId={error.requestId} />
        </Alert>
      )}
    </div>
  )
}
