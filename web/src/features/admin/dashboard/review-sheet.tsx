// The payments under review, each with the buttons to accept or refuse it. A chunk of its own: few days have one.
import { useState, type ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { reviewsQuery, type AdminPayment } from '../../../api/admin-payments'
import { methodLabel } from '../../../api/payment-methods'
import { formatDateTime } from '../../../lib/dates'
import { formatMinor } from '../../../lib/money'
import { adminPaymentPath } from '../../../lib/paths'
import { useIsLive } from '../../../live/status'
import { Button, buttonClass } from '../../../ui/button'
import { DataArea } from '../../../ui/data-area'
import { SuccessIcon } from '../../../ui/icons'
import { Sheet } from '../../../ui/sheet'
import { SkeletonLines } from '../../../ui/skeleton'
import { planText } from '../payments/payment-columns'
import { Code, FactList } from '../record-sheet'
import { ReviewDialog, type ReviewDecision } from './review-dialog'

export default function ReviewSheet({ onClose }: { onClose: () => void }) {
  const query = useQuery(reviewsQuery())
  const [decision, setDecision] = useState<ReviewDecision | null>(null)
  return (
    <Sheet focusTitle onClose={onClose} title="Pagamentos em análise">
      <DataArea
        query={query}
        live={useIsLive()}
        errorTitle="Erro ao carregar pagamentos em análise"
        skeleton={<SkeletonLines count={6} />}
        isEmpty={({ payments }) => payments.length === 0}
        empty={{ icon: SuccessIcon, text: 'Nenhum pagamento em análise' }}
      >
        {({ payments }) => (
          <ul role="list" className="divide-y divide-line">
            {payments.map((payment) => (
              <Entry key={payment.id} payment={payment} onAsk={(outcome) => setDecision({ payment, outcome })} />
            ))}
          </ul>
        )}
      </DataArea>
      {decision && <ReviewDialog decision={decision} onClose={() => setDecision(null)} />}
    </Sheet>
  )
}

function Entry({ payment, onAsk }: { payment: AdminPayment; onAsk: (outcome: ReviewDecision['outcome']) => void }) {
  const { companyName, amount, currency, received = null, paymentMethod, createdAt, transactionId } = payment
  const facts: [string, ReactNode][] = [
    ['Cobrado', formatMinor(amount, currency)],
    ['Recebido', received === null ? 'Outra moeda ou nada confirmado' : formatMinor(received, currency)],
    ['Plano', planText(payment)],
    ['Forma de pagamento', methodLabel(paymentMethod)],
    ['Data', formatDateTime(createdAt)],
    ['ID da transação', transactionId ? <Code key="id" text={transactionId} /> : '—'],
  ]
  return (
    <li className="grid gap-4 py-5 first:pt-0 last:pb-0">
      <h3 className="text-reading wrap-anywhere">{companyName}</h3>
      <FactList facts={facts} />
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
        <Link
          to={adminPaymentPath(payment.id)}
          aria-label={`Ver pagamento de ${companyName}`}
          className={buttonClass({ variant: 'ghost', size: 'small' })}
        >
          Ver pagamento
        </Link>
      </div>
    </li>
  )
}
