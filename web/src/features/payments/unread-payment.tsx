// A payment that has not been read yet, or could not be: what a dialog shows in its place.
import type { UseQueryResult } from '@tanstack/react-query'
import { asApiError } from '../../api/errors'
import type { Payment } from '../../api/payments'
import { EmptyArea, FailedArea } from '../../ui/data-area'
import { PaymentIcon } from '../../ui/icons'
import { SkeletonLines } from '../../ui/skeleton'

export function UnreadPayment({ query, lines }: { query: UseQueryResult<Payment>; lines: number }) {
  if (!query.error) return <SkeletonLines count={lines} />
  const error = asApiError(query.error)
  return error.code === 'NOT_FOUND' ? (
    <EmptyArea icon={PaymentIcon} title="Pagamento não encontrado" text="Confira o endereço e a empresa selecionada." />
  ) : (
    <FailedArea title="Erro ao processar pagamento" error={error} onRetry={query.refetch} busy={query.isFetching} />
  )
}
