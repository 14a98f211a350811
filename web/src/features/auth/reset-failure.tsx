// Why a reset failed. A password that may be set already is tried where one signs in.
import { Link } from 'react-router'
import type { ApiError } from '../../api/errors'
import { paths, withQuery } from '../../lib/paths'
import { FailureAlert } from '../../ui/failure-alert'

export function ResetFailure({ failure, next }: { failure: ApiError | null; next: string | null }) {
  const mayBeSet = failure?.code === 'PASSWORD_MAY_BE_SET'
  return (
    <FailureAlert failure={failure} actions={mayBeSet && <Link to={withQuery(paths.signIn, { next })}>Entrar</Link>} />
  )
}
