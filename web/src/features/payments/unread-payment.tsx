// A payment that has not been read yet, or could not be: what a dialog shows in its place.
import type { UseQueryResult } from '@tanstack/react-query'
import { asApiError } from '../../api/errors'
import type { Payment } from '../../api/payments'
import { EmptyArea, FailedArea } from '../../ui/data-area'
import { PaymentIcon } from '../../ui/icons'
import { SkeletonLines } from '../../ui/skeleton'
import { useAnnounceFailure } from '../../ui/use-announce-failure'

export function UnreadPayment({ query, lines }: { query: UseQueryResult<Payment>; lines: number }) {
  const error = query.error && asApiError(query.error)
  const isMissing = error?.code === 'NOT_FOUND'
  const title = isMissing ? 'Pagamento não encontrado' : 'Erro ao carregar pagamento'
  useAnnounceFailure(title, error !== null && error.code !== 'FORBIDDEN', false)
  if (!error) return <SkeletonLines count={lines} />
  return isMissing ? (
    <EmptyArea icon={PaymentIcon} title={title} text="Confira o endereço e a empresa selecionada." />
  ) : (
    <FailedArea title={title} error={error} onRetry={query.refetch} busy={query.isFetching} />
  )
}
