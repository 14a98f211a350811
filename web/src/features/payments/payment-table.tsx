// The payments of a page as a table; below 640 px each row is a card of two lines. Open ones stand on top. A press
// anywhere on a row opens it: the link of its description covers the row.
import { useRef, useState } from 'react'
import { Link } from 'react-router'
import { methodLabel, paymentMethods } from '../../api/payment-methods'
import type { Payment } from '../../api/payments'
import { paymentPath } from '../../lib/paths'
import { formatDate, formatDateTime } from '../../lib/dates'
import { isOpenPayment, refundLabel, worthOf } from '../../lib/labels'
import { formatMinor } from '../../lib/money'
import { Badge } from '../../ui/badge'
import { Button, buttonClass } from '../../ui/button'
import { cx } from '../../ui/cx'
import { PaymentStatusBadge } from '../../ui/payment-status-badge'
import { useChanged } from '../../ui/use-changed'
import { usePassFocus } from '../../ui/use-pass-focus'
import { CancelQuestion, useCancel } from './cancel-payment'
import { descriptionOf, type NamedPlan } from './labels'
import { isCancellable } from './payment-state'

interface PaymentTableProps {
  payments: Payment[]
  plans: readonly NamedPlan[]
  /** Whether the person may change anything now. */
  canManage: boolean
  /** The filter, kept while a payment is open beside the list. */
  search: string
}

const head = 'px-2 py-2 text-left text-caption font-medium text-muted first:pl-3 last:pr-3 lg:px-3'
const cell = 'sm:px-2 sm:py-2.5 sm:first:pl-3 lg:px-3'

export function PaymentTable({ payments, plans, canManage, search }: PaymentTableProps) {
  const [cancelled, setCancelled] = useState<Payment | null>(null)
  // The question ends with the right to cancel, and does not come back with it.
  if (cancelled && !canManage) setCancelled(null)
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
          <tbody className="grid gap-2 sm:table-row-group">
            {sorted.map((payment) => (
              <Row
                key={payment.id}
                payment={payment}
                description={descriptionOf(payment, plans)}
                canManage={canManage}
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
  canManage: boolean
  search: string
  onCancel: () => void
}

function Row({ payment, description, canManage, search, onCancel }: RowProps) {
  const { id, status, credited, disputed } = payment
  const method = methodLabel(payment.paymentMethod)
  const refund = refundLabel(payment)
  const to = { pathname: paymentPath(id), search }
  const way = wayToPay(payment)
  const cancellable = canManage && isCancellable(payment)
  const changed = useChanged(status)
  // The renewals of a plan have one description.
  const name = `${description}, ${formatDate(payment.createdAt)}`
  return (
    <tr
      data-live={changed ? 'changed' : undefined}
      className="relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 rounded-card border border-line bg-surface px-4 py-3 hover:bg-sunken sm:table-row sm:rounded-none sm:border-0 sm:border-t"
    >
      <td className={cx(cell, 'order-3 tabular-nums max-sm:text-label max-sm:text-muted')}>
        {formatDateTime(payment.createdAt)}
        <span className="sm:hidden"> · {method}</span>
      </td>
      <th scope="row" className={cx(cell, 'order-1 text-left max-sm:wrap-anywhere')}>
        <Link
          to={to}
          preventScrollReset
          aria-label={`Detalhes: ${name}`}
          className="font-medium after:absolute after:inset-0 hover:underline sm:font-normal"
        >
          {description.replace(' · ', '\u00a0· ')}
        </Link>
      </th>
      <td className={cx(cell, 'max-sm:hidden')}>{method}</td>
      <td className={cx(cell, 'order-2 text-right font-medium tabular-nums')}>
        {formatMinor(worthOf(payment), payment.currency)}
      </td>
      <td className={cx(cell, 'order-4 text-right sm:text-left')}>
        <span className="inline-flex flex-wrap justify-end gap-1 sm:justify-start">
          <PaymentStatusBadge status={status} />
          {credited && <Badge tone="info">Virou crédito</Badge>}
          {refund && <Badge tone="info">{refund}</Badge>}
          {disputed && <Badge tone="danger">Contestado</Badge>}
        </span>
      </td>
      {/* In reach also where the table is wider than the screen. */}
      <td
        className={cx(
          'order-5 col-span-2 sm:sticky sm:right-0 sm:bg-inherit sm:py-2 sm:pr-3 sm:pl-2',
          !way && !cancellable && 'max-sm:hidden',
        )}
      >
        <div className="relative z-1 flex flex-wrap justify-end gap-2 max-sm:pt-1 sm:w-fit sm:justify-self-end lg:flex-nowrap">
          {cancellable && <CancelButton name={name} onCancel={onCancel} />}
          {way && (
            <Link
              to={to}
              preventScrollReset
              aria-label={`${way}: ${name}`}
              className={buttonClass({ variant: 'secondary', size: 'small' })}
            >
              {way}
            </Link>
          )}
        </div>
      </td>
    </tr>
  )
}

function CancelButton({ name, onCancel }: Pick<RowProps, 'onCancel'> & { name: string }) {
  const button = useRef<HTMLButtonElement>(null)
  usePassFocus(button, focusPayment)
  return (
    <Button ref={button} variant="ghost" size="small" onClick={onCancel} aria-label={`Cancelar pagamento: ${name}`}>
      Cancelar pagamento
    </Button>
  )
}

/** The payment that was cancelled stays in its row, as its link. */
function focusPayment(button: HTMLElement): void {
  button.closest('tr')?.querySelector('a')?.focus()
}

function CancelRow({ payment, onClose }: { payment: Payment; onClose: () => void }) {
  const cancelling = useCancel(payment)
  return <CancelQuestion cancelling={cancelling} onClose={onClose} />
}

/** What an open payment is opened for. */
function wayToPay(payment: Payment): string | undefined {
  return isOpenPayment(payment) ? paymentMethods[payment.paymentMethod]?.openLabel : undefined
}
