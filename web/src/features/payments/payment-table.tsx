// The payments of a page as a table; below 640 px each row is a labelled card. Open ones stand on top.
import { useState } from 'react'
import { Link } from 'react-router'
import { methodLabel, paymentMethods } from '../../api/payment-methods'
import type { Payment } from '../../api/payments'
import type { Plan } from '../../api/plans'
import { paymentPath } from '../../lib/paths'
import { formatDateTime } from '../../lib/dates'
import { isOpenPayment } from '../../lib/labels'
import { formatMinor } from '../../lib/money'
import { Button, buttonClass } from '../../ui/button'
import { PaymentStatusBadge } from '../../ui/payment-status-badge'
import { useChanged } from '../../ui/use-changed'
import { CancelQuestion, useCancel } from './cancel-payment'
import { descriptionOf } from './labels'
import { isCancellable } from './payment-state'

interface TableProps {
  payments: Payment[]
  plans: Plan[]
  /** The filter, kept while a payment is open beside the list. */
  search: string
}

const head = 'px-2 py-2 text-left text-caption font-medium text-muted first:pl-3 last:pr-3 lg:px-3'
const cell =
  'flex justify-between gap-4 sm:table-cell sm:px-2 sm:py-2.5 sm:first:pl-3 lg:px-3 before:text-muted before:content-[attr(data-label)] sm:before:content-none'

export function PaymentTable({ payments, plans, search }: TableProps) {
  const [cancelled, setCancelled] = useState<Payment | null>(null)
  // The server puts the open ones first; a live event may have closed or opened one since.
  const sorted = [...payments.filter(isOpenPayment), ...payments.filter((payment) => !isOpenPayment(payment))]
  return (
    <>
      <div className="relative sm:overflow-x-auto sm:rounded-card sm:border sm:border-line sm:bg-surface">
        <table className="block w-full sm:table">
          <caption className="sr-only">Pagamentos da empresa</caption>
          <thead className="hidden bg-sunken sm:table-header-group">
            <tr>
              <th className={head}>Data</th>
              <th className={head}>Descrição</th>
              <th className={head}>Forma de pagamento</th>
              <th className={`${head} text-right`}>Valor</th>
              <th className={head}>Status</th>
              <th className={head}>
                <span className="sr-only">Ação</span>
              </th>
            </tr>
          </thead>
          <tbody className="grid gap-3 sm:table-row-group">
            {sorted.map((payment) => (
              <Row
                key={payment.id}
                payment={payment}
                description={descriptionOf(payment, plans)}
                search={search}
                onCancel={() => setCancelled(payment)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {cancelled && (
        <CancelRow
          payment={payments.find(({ id }) => id === cancelled.id) ?? cancelled}
          onClose={() => setCancelled(null)}
        />
      )}
    </>
  )
}

interface RowProps {
  payment: Payment
  description: string
  search: string
  onCancel: () => void
}

function Row({ payment, description, search, onCancel }: RowProps) {
  const { id, status } = payment
  const action = actionOf(payment)
  const changed = useChanged(status)
  return (
    <tr
      data-live={changed ? 'changed' : undefined}
      className="grid gap-2 rounded-card border border-line bg-surface p-4 sm:table-row sm:rounded-none sm:border-0 sm:border-t"
    >
      <td data-label="Data" className={`${cell} tabular-nums`}>
        {formatDateTime(payment.createdAt)}
      </td>
      <td data-label="Descrição" className={cell}>
        {description.replace(' · ', '\u00a0· ')}
      </td>
      <td data-label="Forma de pagamento" className={cell}>
        {methodLabel(payment.paymentMethod)}
      </td>
      <td data-label="Valor" className={`${cell} font-medium tabular-nums sm:text-right`}>
        {formatMinor(payment.amount, payment.currency)}
      </td>
      <td data-label="Status" className={cell}>
        <PaymentStatusBadge status={status} />
      </td>
      {/* In reach also where the table is wider than the screen. */}
      <td className="max-sm:pt-2 sm:sticky sm:right-0 sm:bg-surface sm:py-2 sm:pr-3 sm:pl-2">
        <div className="flex flex-col-reverse gap-2 sm:gap-1 sm:items-end lg:flex-row lg:justify-end lg:gap-2">
          {isCancellable(payment) && (
            <Button variant="ghost" size="small" onClick={onCancel} aria-label={`Cancelar pagamento: ${description}`}>
              Cancelar pagamento
            </Button>
          )}
          <Link
            to={{ pathname: paymentPath(id), search }}
            aria-label={`${action}: ${description}`}
            className={buttonClass({ variant: 'secondary', size: 'small' })}
          >
            {action}
          </Link>
        </div>
      </td>
    </tr>
  )
}

function CancelRow({ payment, onClose }: { payment: Payment; onClose: () => void }) {
  const cancelling = useCancel(payment)
  return <CancelQuestion open cancelling={cancelling} onClose={onClose} />
}

function actionOf(payment: Payment): string {
  return (isOpenPayment(payment) && paymentMethods[payment.paymentMethod]?.openLabel) || 'Detalhes'
}
