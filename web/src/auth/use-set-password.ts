// A password is set once. When the answer to that is lost, the repeat meets a used code or a wrong current password,
// which would say that nothing happened.
import { useRef } from 'react'
import { ApiError } from '../api/errors'

/**
 * `proofOf`: what proves who asks; the call uses it up. `isUsedUp`: whether a call was refused because its proof is no
 * longer good. When an earlier answer was lost, that refusal becomes PASSWORD_MAY_BE_SET.
 */
export function useSetPassword<Form>(
  call: (form: Form) => Promise<unknown>,
  proofOf: (form: Form) => string,
  isUsedUp: (refusal: ApiError) => boolean,
): (form: Form) => Promise<void> {
  const unanswered = useRef<string>(undefined)
  return async (form) => {
    try {
      await call(form)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const proof = proofOf(form)
      const { status, requestId } = error
      if (isUsedUp(error) && unanswered.current === proof)
        throw new ApiError('PASSWORD_MAY_BE_SET', { status, requestId })
      if (error.isUncertain) unanswered.current = proof
      throw error
    }
  }
}

export function isResetRefused({ code }: ApiError): boolean {
  return code === 'INVALID_RESET_TOKEN'
}
