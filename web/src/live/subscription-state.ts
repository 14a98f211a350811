// Where a subscription stands, in one sentence: for the banner of every page, the subscription's card, the dashboard
// and the bell. The server decides (`state` of the subscription) and this file only words it. The mails say the same:
// core/src/mail_pt_br/state.rs, held together by core/tests/vectors/subscription_state.json.
import { methodLabel, methodKind } from '../api/payment-methods'
import type { Payment } from '../api/payments'
import type { Subscription } from '../api/subscriptions'
import { brandLabel } from '../lib/card-brand'
import { formatDate, formatDateTime, formatMoment } from '../lib/dates'
import { billingCycleLabels, statusNamed, subscriptionStatuses, type Status, type Tone } from '../lib/labels'
import { formatMinor, formatReais } from '../lib/money'
import { limitLines } from '../lib/plans'
import { serverNow } from './server-clock'

const NEAR_DAYS = 7

/** 1 to 7 days: the warning; exactly 0: the end; otherwise nothing. */
export function expiryText({ daysUntilExpiry }: Pick<Subscription, 'daysUntilExpiry'>): string | null {
  if (daysUntilExpiry === 0) return 'Sua assinatura expirou'
  if (daysUntilExpiry === 1) return 'Sua assinatura expira em 1 dia'
  if (daysUntilExpiry == null || daysUntilExpiry < 0 || daysUntilExpiry > NEAR_DAYS) return null
  return `Sua assinatura expira em ${daysUntilExpiry} dias`
}

const FREE = 'Grátis para sempre'

/** Its own price: a plan that has become free, or has got a price, since it was chosen changes nothing of it. */
export function priceText({ price, billingCycle }: Pick<Subscription, 'price' | 'billingCycle'>): string {
  return price > 0 ? `${formatReais(price)} · ${billingCycleLabels[billingCycle] ?? billingCycle}` : FREE
}

export function isAhead(instant: string | null | undefined): boolean {
  return instant != null && Date.parse(instant) > serverNow()
}

type State = NonNullable<Subscription['state']>
export type StateKind = State['kind']

const tones: Record<StateKind, Tone> = {
  pending: 'warning',
  free: 'neutral',
  renews: 'neutral',
  runs: 'neutral',
  expiring: 'warning',
  changing: 'info',
  due: 'warning',
  suspended: 'danger',
  canceled: 'neutral',
  expired: 'neutral',
}

export interface SubscriptionState {
  /** The one sentence. */
  line: string
  /** What follows from it. */
  detail: string | null
  tone: Tone
  /** Somebody has to act: every page says so. */
  isUrgent: boolean
  /** What is to be paid, as text. */
  amount: string | null
  /** `payment`: the open one goes on; `pay`: the plan in its cycle again; `reactivate` takes a cancellation back. */
  action: 'payment' | 'pay' | 'reactivate' | null
}

type SubscriptionFacts = Pick<Subscription, 'plan' | 'planId' | 'payment' | 'pendingChange' | 'state'>

/** Null for the answer of an older server, which has no state, and for a state that this build does not know. */
export function subscriptionState(subscription: SubscriptionFacts): SubscriptionState | null {
  const { payment, state } = subscription
  if (payment) return paymentState(payment, subscription)
  if (!state || !Object.hasOwn(tones, state.kind)) return null
  const { kind, amount, action = null } = state
  const awaitsPayment = kind === 'expiring' || kind === 'due' || kind === 'suspended'
  const companyIsClosed = awaitsPayment && action === null
  const isUrgent = awaitsPayment && !companyIsClosed
  return {
    line: companyIsClosed ? lineOfClosed(state) : lineOf(state, subscription.pendingChange?.planName),
    detail: companyIsClosed ? null : detailOf(subscription),
    tone: tones[kind],
    isUrgent,
    amount: isUrgent && amount ? formatReais(amount) : null,
    action,
  }
}

/** A refused payment stays the subscription's open one while it can be tried again. */
const words: Partial<Record<Payment['status'], string>> = { PENDING: 'em aberto', FAILED: 'recusado' }

function paymentState(
  { amount, currency, ...payment }: Payment,
  { plan, planId }: SubscriptionFacts,
): SubscriptionState {
  const what = payment.metadata?.planId === planId ? ` do plano ${plan.displayName}` : ''
  const price = `${formatMinor(amount, currency)} por ${methodLabel(payment.paymentMethod)}`
  return {
    line: `Pagamento${what} ${words[payment.status] ?? 'em processamento'}: ${price}${untilOf(payment)}`,
    detail: null,
    tone: payment.status === 'FAILED' ? 'warning' : 'info',
    isUrgent: true,
    amount: null,
    action: 'payment',
  }
}

/** By when an open PIX or boleto is paid, for the end of a sentence. */
export function untilOf({
  status,
  paymentMethod,
  expiresAt,
}: Pick<Payment, 'status' | 'paymentMethod' | 'expiresAt'>): string {
  const kind = methodKind(paymentMethod)
  if (status !== 'PENDING' || !expiresAt || kind === 'card') return ''
  if (isOverdue({ paymentMethod, expiresAt })) return `, vencido em ${formatDate(expiresAt)}`
  return `, até ${kind === 'boleto' ? formatDate(expiresAt) : formatDateTime(expiresAt)}`
}

/** A boleto after its due day: a bank may refuse it now, and what was paid in time may still be on its way. */
export function isOverdue({ paymentMethod, expiresAt }: Pick<Payment, 'paymentMethod' | 'expiresAt'>): boolean {
  return methodKind(paymentMethod) === 'boleto' && expiresAt != null && !isAhead(expiresAt)
}

/** The golden cases hold every sentence; a deadline that has passed is left out. */
export function lineOf({ kind, deadline, amount, card }: State, nextPlan?: string): string {
  const on = deadline ? ` em ${formatDate(deadline)}` : ''
  const until = deadline ? ` até ${formatMoment(deadline)}` : ''
  const sentences: Record<StateKind, string> = {
    pending: 'Aguardando pagamento',
    free: FREE,
    renews: amount
      ? `Renova${on} no ${card ? `${brandLabel(card.brand)} ${card.last4}` : 'cartão salvo'}, ${formatReais(amount)}`
      : `Renova${on} com o crédito da empresa`,
    runs: card ? `Vence${on}` : `Vence${on}; sem cartão salvo, avisaremos por email`,
    expiring: `Vence${on}: pague até lá para não perder o plano`,
    changing: nextPlan ? `Muda para ${nextPlan}${on}` : `Muda de plano${on}`,
    due: `Vencida: pague${until} para não ser suspensa`,
    suspended: `Suspensa: pague${until} para ter o plano de volta`,
    canceled: `Cancelada: o plano vale${until}`,
    expired: `Expirada${on}: valem os limites do plano gratuito`,
  }
  return sentences[kind]
}

/** In a company that is suspended or closed nothing can be paid, so nobody is asked to. */
function lineOfClosed({ kind, deadline }: State): string {
  if (kind === 'expiring' && deadline) return `Vence em ${formatDate(deadline)}`
  return kind === 'suspended' ? 'Suspensa: valem os limites do plano gratuito' : 'Vencida'
}

function detailOf({ plan, pendingChange, state }: SubscriptionFacts): string | null {
  if (state?.kind === 'suspended') return 'Até lá, valem os limites do plano gratuito.'
  if (state?.kind !== 'changing' || !pendingChange?.limits) return null
  const price = state.amount ? ` Valor a pagar nesse dia: ${formatReais(state.amount)}.` : ''
  return `O plano ${plan.displayName} vale até lá. ${limitsAfter(pendingChange.limits)}${price}`
}

/** What a plan of smaller limits leaves. */
export function limitsAfter(limits: Parameters<typeof limitLines>[0]): string {
  const lines = limitLines(limits).map((line) => line.charAt(0).toLowerCase() + line.slice(1))
  return `Depois: ${lines.join(' e ')}.`
}

/** The badge of the status; in the days of grace an active subscription is no good news. */
export function statusOf({ status, state }: Pick<Subscription, 'status' | 'state'>): Status {
  const shown = statusNamed(subscriptionStatuses, status)
  return state?.kind === 'due' ? { ...shown, tone: 'warning' } : shown
}

/** Whether the person should act before choosing another plan: pay what is open, due or ended, or reactivate. */
export function needsAction({ payment, state }: Pick<Subscription, 'payment' | 'state'>): boolean {
  if (payment || state?.action === 'reactivate') return true
  return state?.action === 'pay' && ['due', 'suspended', 'expired'].includes(state.kind)
}

/** What a quote and its order rest on. One that waits for its first payment, or has ended, counts as none. */
export function basisOf(subscription: Subscription | null): string {
  if (!subscription || subscription.status === 'pending' || subscription.status === 'expired') return ''
  const { planId, billingCycle, currentPeriodStart, nextBillingDate, status } = subscription
  return [planId, billingCycle, currentPeriodStart, nextBillingDate, status].join(' ')
}
