// What is bought, beside the form: for which company, which plan and period, what the total is made of, and what happens
// at the end of the period.
import { useCompany } from '../../auth/company'
import { methodKind, type PaymentMethod } from '../../api/payment-methods'
import type { Preview } from '../../api/subscriptions'
import { formatDate } from '../../lib/dates'
import { billingCycleLabels, type BillingCycle } from '../../lib/labels'
import { formatMinor, formatReais } from '../../lib/money'
import type { Order } from '../../live/payment-dialog'
import { PriceLines } from '../../ui/price-lines'

interface OrderSummaryProps {
  order: Order
  /** The server may have put it right since the preview. */
  total: number
  method: PaymentMethod
  /** The card that pays the renewals, in words; null where there is none, undefined where it is not known. */
  renewsOn: string | null | undefined
  /** There is a default card, but it was refused. */
  isRefused?: boolean
}

export function OrderSummary({ order: asked, total, method, renewsOn, isRefused }: OrderSummaryProps) {
  const { company } = useCompany()
  // Another amount than the quoted one may buy another period, and has other lines: they are not known.
  const order = total === asked.amount ? asked : { ...asked, preview: undefined }
  const period = periodOf(order, method)
  const lines = order.preview?.billing.lines ?? []
  return (
    <section
      aria-label="Resumo"
      className="grid grid-cols-[minmax(0,1fr)] content-start gap-4 self-start rounded-card bg-sunken p-4 lg:sticky lg:top-0"
    >
      <dl className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {company && <Fact label="Empresa" value={company.companyName} />}
        <Fact label="Plano" value={order.planName} />
        <Fact label="Ciclo" value={billingCycleLabels[order.billingCycle]} />
        {period && <Fact label="Período" value={period} />}
      </dl>
      <PriceLines lines={lines} totalLabel="Total" total={formatMinor(total)} />
      <p className="text-label text-pretty text-muted">{renewalTerms(order, method, renewsOn, isRefused)}</p>
    </section>
  )
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <div className="flex justify-between gap-4 enlarged:flex-wrap enlarged:gap-y-0">
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0 text-right font-medium wrap-anywhere tabular-nums">{value}</dd>
    </div>
  )
}

const lengths: Record<BillingCycle, string> = { monthly: '1 mês', quarterly: '3 meses', yearly: '12 meses' }

/** A first period begins with its payment, which a boleto brings days later: its end is not known yet. */
function isFloating({ preview }: Order, method: PaymentMethod): boolean {
  return methodKind(method) === 'boleto' && preview !== undefined && beginsAnew(preview)
}

/** Nothing runs, a free plan does, or a change of cycle moves the day of billing. */
function beginsAnew({ currentPlan, warnings }: Preview): boolean {
  return !currentPlan || currentPlan.price === 0 || warnings.includes('BILLING_DAY_CHANGES')
}

export function periodOf(order: Order, method: PaymentMethod): string | null {
  if (!order.preview?.billing.nextBillingDate) return null
  if (isFloating(order, method)) return `${lengths[order.billingCycle]} a partir do pagamento`
  const { effectiveDate, nextBillingDate } = order.preview.billing
  return `${formatDate(effectiveDate)} a ${formatDate(nextBillingDate)}`
}

export function renewalTerms(
  order: Order,
  method: PaymentMethod,
  renewsOn: OrderSummaryProps['renewsOn'],
  isRefused = false,
): string {
  const end = isFloating(order, method) ? null : order.preview?.billing.nextBillingDate
  const when = end ? `em ${formatDate(end)}` : 'ao fim do período'
  const price = order.preview ? `, por ${formatReais(order.preview.newPlan.price)}` : ''
  if (renewsOn === null) {
    const why = isRefused ? 'O cartão salvo foi recusado e não renova' : 'Sem cartão salvo, não há cobrança automática'
    return `${why}: avisaremos por email antes do vencimento${end ? ` ${when}` : ''}.`
  }
  return renewsOn
    ? `Renova ${when}${price && `${price},`} no ${renewsOn}. Você pode cancelar a qualquer momento.`
    : `Renova ${when}${price}.`
}
