// PIX: the QR code, the code to copy, and how long both are good, by the server's clock.
import { Suspense, useEffect, useRef } from 'react'
import { lazyPart } from '../../api/lazy-part'
import type { Payment } from '../../api/payments'
import { formatCountdown } from '../../lib/countdown'
import { payeeOf } from '../../lib/pix'
import { useServerNow } from '../../live/server-clock'
import { announce } from '../../ui/announcer'
import { Button } from '../../ui/button'
import { CopyField } from '../../ui/copy-field'
import { cx } from '../../ui/cx'
import { PendingIcon } from '../../ui/icons'
import { Skeleton } from '../../ui/skeleton'
import { ProviderLink } from './provider-link'

const QrCode = lazyPart(() => import('../../ui/qr-code'))
const WARN_MS = 2 * 60_000
const ANNOUNCED: readonly [atMs: number, text: string][] = [
  [5 * 60_000, 'O código PIX expira em 5 minutos'],
  [60_000, 'O código PIX expira em 1 minuto'],
  [0, 'Código PIX expirado'],
]

interface PixCardProps {
  payment: Payment
  onRenew: (() => void) | undefined
  renewing: boolean
}

export function PixCard({ payment, onRenew, renewing }: PixCardProps) {
  const left = useCountdown(payment.expiresAt)
  const expired = left === 0 || payment.failureCode === 'payment_expired'
  const code = payment.pixCode
  if (expired) return <ExpiredPix onRenew={onRenew} renewing={renewing} />
  if (!code)
    return (
      <div className="grid justify-items-start gap-3">
        <p className="text-muted">Aguardando pagamento...</p>
        <ProviderLink href={payment.pixUrl}>Abrir código PIX</ProviderLink>
      </div>
    )
  const payee = payeeOf(code)
  return (
    <section aria-label="PIX" className="grid grid-cols-[minmax(0,1fr)] gap-4 rounded-card border border-line p-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-body font-semibold">Pague com PIX</h3>
        {left !== null && (
          <span
            role="timer"
            className={cx(
              'inline-flex items-center gap-1.5 tabular-nums',
              left < WARN_MS ? 'font-semibold text-warning' : 'text-muted',
            )}
          >
            <PendingIcon className="size-4" />
            Expira em {formatCountdown(left)}
          </span>
        )}
      </div>
      <div className="flex flex-col-reverse gap-4 sm:flex-col">
        <Qr code={code} />
        <CopyField label="PIX Copia e Cola" value={code} copyLabel="Copiar código PIX" primary />
      </div>
      {payee && (
        <p className="text-label text-muted">
          Recebedor: <span className="font-medium text-text">{payee}</span>
        </p>
      )}
      <ol className="grid list-decimal gap-1 pl-5 text-muted">
        <li>Abra o aplicativo do seu banco.</li>
        <li>Escolha PIX Copia e Cola ou leia o QR Code.</li>
        <li>Confira os dados e confirme o pagamento.</li>
      </ol>
      <p className="text-muted">Aguardando pagamento...</p>
    </section>
  )
}

/** Milliseconds left, by the server's clock, announced on the way; null without an instant. */
function useCountdown(until: string | null | undefined): number | null {
  const left = (until ? Date.parse(until) : Number.NaN) - useServerNow(1_000)
  const previous = useRef(left)
  useEffect(() => {
    for (const [at, text] of ANNOUNCED) if (previous.current > at && left <= at) announce(text)
    previous.current = left
  }, [left])
  return Number.isNaN(left) ? null : Math.max(0, left)
}

/** On phones the code to copy comes first: a phone cannot scan its own screen. */
function Qr({ code }: { code: string }) {
  const picture = (
    <Suspense fallback={<Skeleton className="size-60" />}>
      <QrCode value={code} size={240} title="QR Code do PIX" />
    </Suspense>
  )
  return (
    <>
      <details className="sm:hidden">
        <summary className="cursor-pointer font-medium">Mostrar QR Code</summary>
        <div className="mt-3 grid justify-items-center">{picture}</div>
      </details>
      <div className="hidden justify-items-center sm:grid">{picture}</div>
    </>
  )
}

function ExpiredPix({ onRenew, renewing }: Pick<PixCardProps, 'onRenew' | 'renewing'>) {
  return (
    <section
      aria-label="PIX"
      className="grid justify-items-center gap-3 rounded-card border border-line p-6 text-center"
    >
      <div className="grid size-40 place-items-center rounded-control bg-sunken text-muted" aria-hidden="true">
        <PendingIcon className="size-10" strokeWidth={1.5} />
      </div>
      <p className="font-semibold">Código PIX expirado</p>
      {onRenew && (
        <Button variant="secondary" onClick={onRenew} busy={renewing && 'Processando...'}>
          Gerar novo código
        </Button>
      )}
    </section>
  )
}
