// The consent to later charges, given by its sentence beside the card that is saved. A newer sentence may be put up while
// the page stands open: the server refuses the old one, and the person reads the new one and decides again.
import type { QueryClient } from '@tanstack/react-query'
import type { ApiError } from '../../api/errors'
import { paymentKeys } from '../../api/payments'

function isRefused({ fields }: ApiError): boolean {
  return 'renewalConsent' in fields
}

export function rereadRefusedConsent(queries: QueryClient, refusal: ApiError): void {
  if (isRefused(refusal)) void queries.invalidateQueries({ queryKey: paymentKeys.providers })
}

/** Undefined when something else was refused. */
export function consentSentence(refusal: ApiError): string | undefined {
  return isRefused(refusal) ? 'O texto da autorização mudou. Leia o novo texto e confirme novamente.' : undefined
}
