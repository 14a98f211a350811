// The timeline in the sheet of one payment; its code is loaded with the sheet. A default export, for the lazy import.
import { useMemo } from 'react'
import type { AdminPaymentDetail } from '../../../api/admin-payments'
import { formatDateTime } from '../../../lib/dates'
import { stepsOf } from './timeline'

export default function PaymentTimeline({ payment }: { payment: AdminPaymentDetail }) {
  const steps = useMemo(() => stepsOf(payment), [payment])
  return (
    <div className="grid gap-3">
      <ol role="list" className="grid gap-3 border-l border-line pl-4">
        {steps.map(({ key, at, text, small, code }) => (
          <li key={key} className="grid gap-0.5">
            <span className="flex flex-wrap items-baseline justify-between gap-x-3">
              <span className="wrap-anywhere" title={code}>
                {text}
              </span>
              <time dateTime={at} className="text-caption text-muted tabular-nums">
                {formatDateTime(at)}
              </time>
            </span>
            {small && <span className="text-label wrap-anywhere text-muted">{small}</span>}
          </li>
        ))}
      </ol>
      <p className="text-label text-muted">
        Só o que está gravado: mensagens do provedor e notificações ficam 90 dias; mudanças para as telas, um dia. Um
        email que já saiu não deixa registro aqui.
      </p>
    </div>
  )
}
