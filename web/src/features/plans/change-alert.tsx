// A refused step of a subscription, said in the page until it is closed.
import { Alert } from '../../ui/alert'
import { FailureAlert } from '../../ui/failure-alert'
import { FailureDetails } from '../../ui/failure-details'
import type { ChangeFailure } from './use-command'

export function ChangeAlert({ failure, onClose }: { failure: ChangeFailure | null; onClose: () => void }) {
  if (!failure) return null
  const { title, error } = failure
  if (error.code === 'RATE_LIMITED') return <FailureAlert failure={error} title={title} />
  return (
    <Alert tone="danger" role="alert" title={title} onClose={onClose}>
      <p>{error.sentence}</p>
      <FailureDetails code={error.code} requestId={error.requestId} />
    </Alert>
  )
}
