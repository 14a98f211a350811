// "Pagamentos em análise": payments for which the provider holds another amount than ours. The card is there only while
// there are any. Its sheet comes when it is opened.
import { Suspense, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { reviewsQuery } from '../../../api/admin-payments'
import { lazyDialog } from '../../../api/lazy-dialog'
import { counted } from '../../../lib/labels'
import { Button } from '../../../ui/button'
import { Card, CardHeader } from '../../../ui/card'
import { FailedArea, LoadingArea, useUnsettled } from '../../../ui/data-area'
import { useAnnounceFailure } from '../../../ui/use-announce-failure'

const FAILED = 'Erro ao carregar pagamentos em análise'

const ReviewSheet = lazyDialog(() => import('./review-sheet'))

export function PaymentReviews() {
  const query = useQuery(reviewsQuery())
  const [open, setOpen] = useState(false)
  const total = query.data?.total ?? 0
  const unsettled = useUnsettled(query.isPending)
  const isRead = query.data !== undefined
  const hasFailed = query.isError && !isRead
  useAnnounceFailure(FAILED, hasFailed, isRead)
  // The sheet stays when its last payment was settled: it says so, and is closed by hand.
  const sheet = open && (
    <Suspense fallback={null}>
      <ReviewSheet onClose={() => setOpen(false)} />
    </Suspense>
  )
  // Mostly there is nothing to show, so nothing stands in for it; only its place is kept open.
  if (unsettled) return <LoadingArea unsettled className="sr-only" />
  if (hasFailed) {
    return (
      <Card>
        <FailedArea title={FAILED} error={query.error} busy={query.isFetching} onRetry={query.refetch} />
      </Card>
    )
  }
  return (
    <>
      {total > 0 && (
        <Card className="no-print grid gap-x-6 gap-y-4 border-warning! sm:max-lg:grid-cols-[minmax(0,1fr)_auto] sm:max-lg:items-center [&>header]:mb-0">
          <CardHeader title="Pagamentos em análise">
            <p>
              {counted(total, 'pagamento recebido', 'pagamentos recebidos', 'Nenhum')} com valor diferente do cobrado.{' '}
              {total === 1 ? 'A empresa espera' : 'As empresas esperam'} por uma decisão.
            </p>
          </CardHeader>
          <Button onClick={() => setOpen(true)}>Analisar</Button>
        </Card>
      )}
      {sheet}
    </>
  )
}
