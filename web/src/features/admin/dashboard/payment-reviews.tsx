// "Pagamentos em análise": payments for which the provider holds another amount than ours. The card is there only while
// there are any. Its sheet lists them, each with the buttons to accept or refuse it.
import { useState, type ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { reviewsQuery, type AdminPayment } from '../../../api/admin-payments'
import { methodLabel } from '../../../api/payment-methods'
import { formatDateTime } from '../../../lib/dates'
import { billingCycleLabels, counted } from '../../../lib/labels'
import { formatMinor } from '../../../lib/money'
import { useLiveStatus } from '../../../live/status'
import { Button } from '../../../ui/button'
import { Card, CardHeader } from '../../../ui/card'
import { DataArea, FailedArea, LoadingArea, useUnsettled } from '../../../ui/data-area'
import { SuccessIcon } from '../../../ui/icons'
import { Sheet } from '../../../ui/sheet'
import { SkeletonLines } from '../../../ui/skeleton'
import { Facts } from '../record-sheet'
import { ReviewDialog, type Asked } from './review-dialog'

export function PaymentReviews() {
  const query = useQuery(reviewsQuery())
  const [open, setOpen] = useState(false)
  const total = query.data?.total ?? 0
  const unsettled = useUnsettled(query.isPending)
  // The sheet stays when its last payment was settled: it says so, and is closed by hand.
  const sheet = open && <ReviewSheet onClose={() => setOpen(false)} />
  // Mostly there is nothing to show, so nothing stands in for it; only its place is kept open.
  if (unsettled) return <LoadingArea unsettled className="sr-only" />
  if (query.isError && !query.data) {
    return (
      <Card>
        <FailedArea
          title="Erro ao carregar pagamentos em análise"
          error={query.error}
          busy={query.isFetching}
          onRetry={query.refetch}
        />
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

function ReviewSheet({ onClose }: { onClose: () => void }) {
  const query = useQuery(reviewsQuery())
  const { connection } = useLiveStatus()
  const [asked, setAsked] = useState<Asked | null>(null)
  return (
    <Sheet focusTitle onClose={onClose} title="Pagamentos em análise">
      <DataArea
        query={query}
        live={connection === 'live'}
        errorTitle="Erro ao carregar pagamentos em análise"
        skeleton={<SkeletonLines count={6} />}
        isEmpty={({ payments }) => payments.length === 0}
        empty={{ icon: SuccessIcon, text: 'Nenhum pagamento em análise' }}
      >
        {({ payments }) => (
          <ul className="divide-y divide-line">
            {payments.map((payment) => (
              <Entry key={payment.id} payment={payment} onAsk={(outcome) => setAsked({ payment, outcome })} />
            ))}
          </ul>
        )}
      </DataArea>
      {asked && <ReviewDialog asked={asked} onClose={() => setAsked(null)} />}
    </Sheet>
  )
}

function Entry({ payment, onAsk }: { payment: AdminPayment; onAsk: (outcome: Asked['outcome']) => void }) {
  const {
    companyName,
    planName,
    amount,
    currency,
    received = null,
    paymentMethod,
    metadata,
    createdAt,
    transactionId,
  } = payment
  const facts: [string, ReactNode][] = [
    ['Cobrado', formatMinor(amount, currency)],
    ['Recebido', received === null ? 'Outra moeda ou nada confirmado' : formatMinor(received, currency)],
    ['Plano', `${planName} · ${billingCycleLabels[metadata.billingCycle] ?? metadata.billingCycle}`],
    ['Forma de pagamento', methodLabel(paymentMethod)],
    ['Data', formatDateTime(createdAt)],
    [
      'ID da transação',
      transactionId ? (
        <span key="id" className="font-mono text-label">
          {transactionId}
        </span>
      ) : (
        '—'
      ),
    ],
  ]
  return (
    <li className="grid gap-4 py-5 first:pt-0 last:pb-0">
      <h3 className="text-reading wrap-anywhere">{companyName}</h3>
      <Facts facts={facts} />
      <div className="flex flex-wrap gap-2">
        {/* Money in another currency cannot be counted: there is nothing to accept. */}
        {received !== null && (
          <Button size="small" aria-label={`Aceitar pagamento de ${companyName}`} onClick={() => onAsk('accept')}>
            Aceitar
          </Button>
        )}
        <Button
          size="small"
          variant="secondary"
          aria-label={`Recusar pagamento de ${companyName}`}
          onClick={() => onAsk('refuse')}
        >
          Recusar
        </Button>
      </div>
    </li>
  )
}
