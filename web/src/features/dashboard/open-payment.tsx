// The payment that is waiting, on top of the dashboard: what it is, how long it may still be paid, the way to it.
import { methodKind, methodLabel, paymentMethods } from '../../api/payment-methods'
import type { Payment } from '../../api/payments'
import { formatCountdown } from '../../lib/countdown'
import { formatDate } from '../../lib/dates'
import { formatMinor } from '../../lib/money'
import { showPayment } from '../../live/payment-dialog'
import { useServerNow } from '../../live/server-clock'
import { isAhead } from '../../live/subscription-state'
import { Button } from '../../ui/button'
import { Card } from '../../ui/card'
import { PaymentIcon } from '../../ui/icons'
import { PaymentStatusBadge } from '../../ui/payment-status-badge'

export function OpenPayment({ payment }: { payment: Payment }) {
  const Glyph = paymentMethods[payment.paymentMethod]?.icon ?? PaymentIcon
  return (
    <Card aria-label="Pagamento em aberto" className="flex flex-wrap items-center gap-4">
      <Glyph className="size-7 shrink-0 text-primary" />
      <div className="grid min-w-0 flex-1 gap-1">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h2 className="text-h3 tabular-nums">{formatMinor(payment.amount, payment.currency)}</h2>
          <PaymentStatusBadge status={payment.status} />
        </div>
        <p className="text-muted">
          {methodLabel(payment.paymentMethod)}
          <Deadline payment={payment} />
        </p>
      </div>
      <Button className="w-full sm:w-auto" onClick={() => showPayment(payment.companyId, payment.id)}>
        Ver pagamento
      </Button>
    </Card>
  )
}

function Deadline({ payment: { paymentMethod, expiresAt } }: { payment: Payment }) {
  if (!expiresAt) return null
  const kind = methodKind(paymentMethod)
  if (kind === 'code') return <Countdown until={expiresAt} />
  return kind === 'boleto' ? ` · ${isAhead(expiresAt) ? 'Vence' : 'Venceu'} em ${formatDate(expiresAt)}` : null
}

/** The payment's own dialog announces the time that is left, this card only shows it. */
function Countdown({ until }: { until: string }) {
  const left = Date.parse(until) - useServerNow(1_000)
  if (left <= 0) return ' · Código PIX expirado'
  return (
    <span role="timer" className="tabular-nums">
      {` · Expira em ${formatCountdown(left)}`}
    </span>
  )
}
