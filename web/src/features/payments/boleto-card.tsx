// Boleto: the digitable line in its groups, the barcode drawn from it, the due date, the link to its page.
import type { Payment } from '../../api/payments'
import { itfBars, readLine } from '../../lib/boleto'
import { formatLine } from '../../lib/boleto-line'
import { dayOf, formatDate } from '../../lib/dates'
import { isOverdue } from '../../live/subscription-state'
import { Alert } from '../../ui/alert'
import { CopyField } from '../../ui/copy-field'
import { replacedBoleto } from './labels'
import { ProviderLink } from './provider-link'

/** `superseded`: another payment has taken its place. */
export function BoletoCard({ payment, superseded }: { payment: Payment; superseded: boolean }) {
  const overdue = isOverdue(payment)
  const line = overdue ? undefined : payment.bankSlipLine
  const boleto = line ? readLine(line, dayOf(payment.createdAt)) : null
  const dueDate = boleto?.dueDate ?? payment.expiresAt
  return (
    <section aria-label="Boleto" className="grid grid-cols-[minmax(0,1fr)] gap-4 rounded-card border border-line p-4">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <h3 className="text-body font-semibold">Boleto</h3>
        {dueDate && (
          <span className="tabular-nums">
            {overdue ? 'Venceu em' : 'Vence em'} {formatDate(dueDate)}
          </span>
        )}
      </div>
      {overdue && (
        <p>Este boleto venceu, e o banco pode não aceitar mais o pagamento. Se você já pagou, aguarde a confirmação.</p>
      )}
      {line && (
        <CopyField
          label="Linha digitável"
          value={formatLine(line)}
          copyValue={line.replace(/\D/g, '')}
          copyLabel="Copiar linha"
          copiedLabel="Linha copiada!"
          stacked
          primary
        />
      )}
      {boleto && <Barcode digits={boleto.barcode} />}
      <p className="text-muted">A compensação pode levar até 3 dias úteis</p>
      {superseded ? (
        <Alert tone="info">
          Outro pagamento tomou o lugar deste boleto. Se o boleto {overdue ? 'foi' : 'for'} pago, o valor vira crédito.
        </Alert>
      ) : (
        <Alert tone="info">O PIX é confirmado na hora. {replacedBoleto(payment)}</Alert>
      )}
      {!overdue && (
        <p className="text-label text-muted">
          Um boleto emitido não pode ser cancelado; sem pagamento, ele vence sozinho.
        </p>
      )}
      {/* After a bank holiday that no calendar here knows, a bank takes it a day later. */}
      {!(overdue && superseded) && (
        <div className="flex flex-wrap gap-2">
          <ProviderLink href={payment.bankSlipUrl}>Abrir boleto</ProviderLink>
          <ProviderLink href={payment.bankSlipPdf}>Baixar PDF</ProviderLink>
        </div>
      )}
    </section>
  )
}

const QUIET_MODULES = 10
const HEIGHT = 50

/** Always black on white with its quiet zone: scanners read the contrast, not the theme. */
function Barcode({ digits }: { digits: string }) {
  const { bars, width } = itfBars(digits)
  const whole = width + 2 * QUIET_MODULES
  return (
    <figure>
      <svg
        viewBox={`0 0 ${whole} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        shapeRendering="crispEdges"
        className="h-14 w-full rounded-badge bg-paper py-1"
      >
        {bars.map((bar) => (
          <rect key={bar.x} x={bar.x + QUIET_MODULES} y={0} width={bar.width} height={HEIGHT} className="fill-ink" />
        ))}
      </svg>
      <figcaption className="sr-only">Código de barras do boleto</figcaption>
    </figure>
  )
}
