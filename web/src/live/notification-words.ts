// A notification in words: what happened, a sentence with amount, company, plan and day, and the page that it leads to.
// The server tells the facts; the bell and the toasts say the same of them. Where a subscription stands is said in the
// sentence of `subscription-state.ts`.
import { formatDate, formatMoment } from '../lib/dates'
import { companyRoleLabels } from '../lib/labels'
import { formatMinor, toReais } from '../lib/money'
import { invoicePath, paths, paymentPath, renewalPath } from '../lib/paths'
import type { Notification } from '../api/notifications'
import { lineOf, type StateKind } from './subscription-state'

interface NotificationWords {
  tone: 'success' | 'info' | 'warning' | 'error'
  title: string
  /** Below the title; empty where the title says it all. */
  detail: string
  /** The page to open, in the company of the notification; null where there is nothing to see any more. */
  path: string | null
}

/** The notification, and its values as the parts of sentences. */
type Facts = Notification & {
  /** "R$ 99,90". */
  amountText: string
  /** "plano Negócio da empresa Aurora". */
  planText: string
  /** " até 25/12/2026 às 12:00"; empty without a deadline. */
  until: string
  /** "25/12/2026"; empty without a deadline. */
  day: string
  /** "R$ 99,90 pelo plano Negócio da empresa Aurora." */
  priceSentence: string
  /** "Plano Negócio da empresa Aurora." */
  planSentence: string
}
type Write = (facts: Facts) => NotificationWords

const say = (
  tone: NotificationWords['tone'],
  title: string,
  detail: string,
  path: string | null = paths.subscriptions,
): NotificationWords => ({ tone, title, detail, path })

/** "Assinatura vencida: pague até 25/12/2026 às 12:00 para não ser suspensa". */
function standing(kind: StateKind, { deadline, amount }: Notification): string {
  const line = lineOf({ kind, deadline, amount: toReais(amount ?? 0) })
  return `Assinatura ${line.charAt(0).toLowerCase()}${line.slice(1)}`
}

const receipt = ({ paymentId }: Facts) => (paymentId ? invoicePath(paymentId) : paths.subscriptions)
const payment = ({ paymentId }: Facts) => (paymentId ? paymentPath(paymentId) : paths.payments)
const renewal = ({ companyId }: Facts) => renewalPath(companyId)

const words: Record<Notification['topic'], Write> = {
  'payment.approved': (n) => say('success', 'Pagamento aprovado', `${n.amountText} pelo ${n.planText}.`, receipt(n)),
  'payment.credited': (n) =>
    say('info', 'Pagamento virou crédito', `${n.amountText} a favor da empresa ${n.companyName}.`, receipt(n)),
  // The money of one that the platform refused has come, and goes back.
  'payment.refused': (n) =>
    say(
      'error',
      'Pagamento recusado',
      `${n.amountText} pelo ${n.planText}. Se algo foi debitado, será devolvido.`,
      payment(n),
    ),
  'payment.expired': (n) =>
    say('error', 'O prazo do pagamento terminou', `${n.amountText} pelo ${n.planText}. Nada foi cobrado.`, payment(n)),
  'renewal.announced': (n) => say('info', standing('renews', n), n.planSentence),
  'renewal.ahead': (n) => say('warning', standing('expiring', n), n.priceSentence, renewal(n)),
  'renewal.due': (n) => say('warning', standing('due', n), n.priceSentence, renewal(n)),
  // The charges go on in a suspension, which has no plan to keep.
  'renewal.failed': (n) =>
    say('error', 'Cartão salvo recusado', `Pague ${n.amountText} pelo ${n.planText}${n.until}.`, renewal(n)),
  'renewal.confirmation': (n) =>
    say('warning', 'O banco pede confirmação', `Confirme ${n.amountText} pelo ${n.planText}${n.until}.`, renewal(n)),
  'subscription.renewed': (n) =>
    n.amount
      ? say('success', 'Assinatura renovada', `${n.amountText} pelo ${n.planText}.`, receipt(n))
      : say('success', 'Assinatura renovada', `O crédito pagou o ${n.planText}${n.until}.`),
  // Suspended, or cancelled: the plan may have ended already.
  'subscription.expiring': (n) => say('warning', `Assinatura expira em ${n.day}`, n.planSentence, renewal(n)),
  'subscription.suspended': (n) => say('error', standing('suspended', n), n.priceSentence, renewal(n)),
  'subscription.expired': (n) => say('error', standing('expired', n), `Terminou o ${n.planText}.`, paths.plans),
  'subscription.canceled': (n) =>
    n.deadline
      ? say('info', standing('canceled', n), n.planSentence)
      : say('info', 'Assinatura cancelada', `Terminou o ${n.planText}.`),
  'subscription.reactivated': (n) => say('success', 'Assinatura reativada', `Continua o ${n.planText}.`),
  'plan.activated': (n) => say('success', 'Assinatura ativa', `Começou o ${n.planText}.`),
  'plan.upgraded': (n) => say('success', 'Upgrade de plano', `Agora vale o ${n.planText}.`),
  'plan.downgraded': (n) => say('info', 'Downgrade de plano', `Agora vale o ${n.planText}.`),
  'plan.scheduled': (n) => say('info', 'Mudança de plano agendada', `Em ${n.day} começa o ${n.planText}.`),
  'plan.kept': (n) => say('info', 'Mudança de plano desfeita', `Continua o ${n.planText}.`),
  'plan.changed': (n) => say('info', 'Plano alterado', `Agora vale o ${n.planText}.`),
  'member.added': (n) =>
    say('success', `Você agora faz parte da empresa ${n.companyName}`, roleText('Seu papel: ', n), paths.companyManage),
  'member.role': (n) =>
    say('info', roleText(`Seu papel na empresa ${n.companyName} agora é `, n), '', paths.companyManage),
  'member.removed': (n) => say('warning', `Você não faz mais parte da empresa ${n.companyName}`, '', null),
  'company.ended': (n) => say('warning', `A empresa ${n.companyName} foi excluída`, '', null),
}

/** A topic that this build does not know names the company alone. */
export function notificationWords(notification: Notification): NotificationWords {
  const { topic, amount, planName, companyName, deadline } = notification
  if (!Object.hasOwn(words, topic)) return say('info', `Novidade na empresa ${companyName}`, '', paths.dashboard)
  const day = deadline ? formatDate(deadline) : ''
  const amountText = formatMinor(amount ?? 0)
  const plan = `${planName ?? 'escolhido'} da empresa ${companyName}`
  const planText = `plano ${plan}`
  return words[topic]({
    ...notification,
    day,
    until: deadline ? ` até ${formatMoment(deadline)}` : '',
    amountText,
    planText,
    priceSentence: `${amountText} pelo ${planText}.`,
    planSentence: `Plano ${plan}.`,
  })
}

function roleText(before: string, { role }: Notification): string {
  return role ? `${before}${companyRoleLabels[role] ?? role}` : ''
}
