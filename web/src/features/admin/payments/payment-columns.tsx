// The columns of the list of payments of all companies.
import type { AdminPayment } from '../../../api/admin-payments'
import { methodLabel } from '../../../api/payment-methods'
import { formatDateTime } from '../../../lib/dates'
import { planAndCycle, worthOf } from '../../../lib/labels'
import { formatMinor } from '../../../lib/money'
import { dateColumn, TwoLines } from '../../../ui/columns'
import type { Column } from '../../../ui/data-table'
import { PaymentState } from './payment-state'

export const paymentColumns: Column<AdminPayment>[] = [
  {
    key: 'company',
    label: 'Empresa',
    // The button of the row: the payments of a company are told apart by their instant.
    cell: ({ companyName, createdAt }) => (
      <span className="font-medium wrap-anywhere">
        {companyName}
        <span className="sr-only">, {formatDateTime(createdAt)}</span>
      </span>
    ),
  },
  { ...dateColumn<AdminPayment>(({ createdAt }) => createdAt), key: 'createdAt', sortable: true },
  // In one column, so that the amount and the status are in sight on a tablet.
  {
    key: 'plan',
    label: 'Plano e forma',
    cell: (payment) => <TwoLines note={methodLabel(payment.paymentMethod)}>{planText(payment)}</TwoLines>,
  },
  {
    key: 'amount',
    label: 'Valor',
    numeric: true,
    sortable: true,
    cell: (payment) => <span className="font-medium">{formatMinor(worthOf(payment), payment.currency)}</span>,
  },
  { key: 'status', label: 'Status', narrow: true, cell: (payment) => <PaymentState payment={payment} /> },
]

/** "Profissional · Mensal". */
export function planText({ planName, metadata }: Pick<AdminPayment, 'planName' | 'metadata'>): string {
  return planAndCycle(planName, metadata.billingCycle)
}
