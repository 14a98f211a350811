// A company's newest payments, each with the way to its sheet, and the way to all of them.
import { Link } from 'react-router'
import type { AdminCompanyDetail } from '../../../api/admin'
import { methodLabel } from '../../../api/payment-methods'
import { formatDateTime } from '../../../lib/dates'
import { worthOf } from '../../../lib/labels'
import { formatMinor } from '../../../lib/money'
import { adminCompanyPaymentsPath, adminPaymentPath } from '../../../lib/paths'
import { PaymentState } from '../payments/payment-state'

/** The server sends no more with a company. */
const MAX_SHOWN = 20

export function CompanyPayments({
  company: { id, payments },
}: {
  company: Pick<AdminCompanyDetail, 'id' | 'payments'>
}) {
  if (payments.length === 0) return <p className="text-muted">Nenhum pagamento encontrado</p>
  return (
    <div className="grid gap-4">
      <p className="flex flex-wrap justify-between gap-x-3">
        {payments.length >= MAX_SHOWN && <span className="text-muted">Os {MAX_SHOWN} mais recentes</span>}
        <Link to={adminCompanyPaymentsPath(id)} className="link">
          Ver todos os pagamentos
        </Link>
      </p>
      <ul role="list" className="divide-y divide-line">
        {payments.map((payment) => (
          <li key={payment.id} className="flex items-start justify-between gap-3 py-3 first:pt-0">
            <div className="grid min-w-0 gap-0.5">
              <Link to={adminPaymentPath(payment.id)} className="link justify-self-start">
                {methodLabel(payment.paymentMethod)}
              </Link>
              <span className="text-label text-muted tabular-nums">{formatDateTime(payment.createdAt)}</span>
            </div>
            <div className="grid shrink-0 justify-items-end gap-1">
              <span className="font-medium tabular-nums">{formatMinor(worthOf(payment), payment.currency)}</span>
              <PaymentState payment={payment} />
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}
