// What platform admins gave back of a payment, and the button that gives back more of it while something can.
import { useState } from 'react'
import type { AdminPaymentDetail, Refund, RefundBlock } from '../../../api/admin-payments'
import { formatDateTime } from '../../../lib/dates'
import { statusNamed, type Status } from '../../../lib/labels'
import { formatMinor } from '../../../lib/money'
import { StatusBadge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { SheetSection } from '../record-sheet'
import { RefundDialog } from './refund-dialog'

const states: Record<Refund['state'], Status> = {
  pending: { label: 'Aguardando o provedor', tone: 'warning', pending: true },
  accepted: { label: 'Aceito pelo provedor', tone: 'success' },
  refused: { label: 'Recusado', tone: 'danger' },
}

/** The provider's id is known of one that it had accepted. */
const FAILED_LATER: Status = { label: 'Recusado depois de aceito', tone: 'danger' }

/** Nothing is said of a payment that was not paid: there is nothing to give back. */
const blocks: Record<Exclude<RefundBlock, 'NOT_PAID'>, string> = {
  METHOD: 'O provedor não reembolsa boletos. Devolva o valor por transferência.',
  TOO_LATE: 'O prazo do provedor para reembolsar este PIX acabou. Devolva o valor por transferência.',
  DISPUTED: 'O valor está com o banco do pagador: a contestação está em análise, ou o banco já decidiu pelo pagador.',
  NOTHING_LEFT: 'Não há mais valor a reembolsar.',
}

export function Refunds({ payment }: { payment: AdminPaymentDetail }) {
  const { refunds, refundBlock: block } = payment
  const [isAsking, setIsAsking] = useState(false)
  if (block === 'NOT_PAID' && refunds.length === 0) return null
  return (
    <SheetSection
      title="Reembolsos"
      aside={
        !block && (
          <Button size="small" variant="secondary" onClick={() => setIsAsking(true)}>
            Reembolsar
          </Button>
        )
      }
    >
      {block && block !== 'NOT_PAID' && <p className="text-muted">{blocks[block] ?? block}</p>}
      {!block && refunds.length === 0 && <p className="text-muted">Nenhum reembolso pedido por aqui</p>}
      {refunds.length > 0 && (
        <ul role="list" className="divide-y divide-line">
          {refunds.map((refund) => (
            <Entry key={refund.id} refund={refund} />
          ))}
        </ul>
      )}
      {isAsking && <RefundDialog payment={payment} onClose={() => setIsAsking(false)} />}
    </SheetSection>
  )
}

function Entry({ refund }: { refund: Refund }) {
  const { state, amount, reason, requestedBy, providerRefund, refusal, createdAt } = refund
  const hasFailed = state === 'refused' && providerRefund != null
  const known = hasFailed ? FAILED_LATER : statusNamed(states, state)
  return (
    <li className="grid gap-1 py-2 first:pt-0">
      <span className="flex flex-wrap items-center justify-between gap-2">
        <span className="font-medium tabular-nums">{formatMinor(amount)}</span>
        <StatusBadge {...known} />
      </span>
      <span className="wrap-anywhere">{reason}</span>
      <span className="text-label wrap-anywhere text-muted tabular-nums">
        {formatDateTime(createdAt)} · {requestedBy ?? 'Conta excluída'}
        {refusal && ` · ${refusalText(refusal)}`}
      </span>
    </li>
  )
}

/** Our own codes in words; the provider's as support looks them up. */
export function refusalText(code: string): string {
  if (code === 'unsent') return 'o provedor não respondeu e nada foi enviado'
  return code === 'lost' ? 'não chegou ao provedor' : `código ${code}`
}
