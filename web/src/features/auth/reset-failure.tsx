// Why a reset failed. A password that may be set already is tried where one signs in.
import type { ApiError } from '../../api/errors'
import { FailureAlert } from '../../ui/failure-alert'
import { SignInLink } from './other-account'

interface ResetFailureProps {
  failure: ApiError | null
  /** Null where it is not known. */
  email: string | null
  next: string | null
}

export function ResetFailure({ failure, email, next }: ResetFailureProps) {
  const mayBeSet = failure?.code === 'PASSWORD_MAY_BE_SET'
  return (
    <FailureAlert failure={failure} actions={mayBeSet && <SignInLink email={email} next={next} label="Entrar" />} />
  )
}
