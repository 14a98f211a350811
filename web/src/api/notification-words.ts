// A notification in words: what happened, a sentence with amount, company, plan and day, and the page that it leads to.
// The server tells the facts; the bell and the toasts say the same of them.
import { formatDate } from '../lib/dates'
import { companyRoleLabels } from '../lib/labels'
import { formatMinor } from '../lib/money'
import { invoicePath, paths, paymentPath, renewalPath } from '../lib/paths'
import type { Notification } from './notifications'

export interface NotificationWords {
  tone: 'success' | 'info' | 'warning' | 'error'
  title: string
  /** Below the title; empty where the title says it all. */
  detail: string
  /** Of the company that it is about; null where there is nothing to see any more. */
  path: string | null
}

type Facts = Notification & { amountText: string; onPlan: string; by: string; day: string }
type Write = (facts: Facts) => NotificationWords

const say = (
  tone: NotificationWords['tone'],
  title: string,
  detail: string,
  path: string | null = paths.subscriptions,
): NotificationWords => ({ tone, title, detail, path })

const receipt = ({ paymentId }: Facts) => (paymentId ? invoicePath(paymentId) : paths.subscriptions)
const payment = ({ paymentId }: Facts) => (paymentId ? paymentPath(paymentId) : paths.payments)
const renewal = ({ companyId }: Facts) => renewalPath(companyId)

const words: Record<Notification['topic'], Write> = {
  'payment.approved': (n) => say('success', 'Pagamento aprovado', `${n.amountText} pelo ${n.onPlan}.`, receipt(n)),
  'payment.credited': (n) =>
    say(
      'info',
      'Pagamento virou crédito',
      `${n.amountText} agora são crédito da empresa ${n.companyName}.`,
      receipt(n),
    ),
  'payment.refused': (n) =>
    say('error', 'Pagamento recusado', `${n.amountText} pelo ${n.onPlan}. Nada foi cobrado.`, payment(n)),
  'payment.expired': (n) =>
    say('error', 'O prazo do pagamento terminou', `${n.amountText} pelo ${n.onPlan}. Nada foi cobrado.`, payment(n)),
  'renewal.announced': (n) =>
    say('info', `Renovação em ${n.day}`, `${n.amountText} no cartão salvo, pelo ${n.onPlan}.`),
  'renewal.ahead': (n) =>
    say(
      'warning',
      `Assinatura vence em ${n.day}`,
      `Pague ${n.amountText} até lá para manter o ${n.onPlan}.`,
      renewal(n),
    ),
  'renewal.due': (n) =>
    say('warning', 'Assinatura vencida', `Pague ${n.amountText}${n.by} para não perder o ${n.onPlan}.`, renewal(n)),
  'renewal.failed': (n) =>
    say('error', 'Cartão salvo recusado', `Pague ${n.amountText}${n.by} para manter o ${n.onPlan}.`, renewal(n)),
  'renewal.confirmation': (n) =>
    say(
      'warning',
      'O banco pede confirmação',
      `Confirme ${n.amountText}${n.by} para manter o ${n.onPlan}.`,
      renewal(n),
    ),
  'subscription.renewed': (n) =>
    n.amount
      ? say('success', 'Assinatura renovada', `${n.amountText} pelo ${n.onPlan}.`, receipt(n))
      : say('success', 'Assinatura renovada', `O crédito pagou o ${n.onPlan}${n.by}.`),
  'subscription.expiring': (n) =>
    say('warning', `Assinatura expira em ${n.day}`, `Depois disso acaba o ${n.onPlan}.`, paths.plans),
  'subscription.suspended': (n) =>
    say('error', 'Assinatura suspensa', `Pague ${n.amountText}${n.by} para ter de volta o ${n.onPlan}.`, renewal(n)),
  'subscription.expired': (n) =>
    say(
      'error',
      'Assinatura expirada',
      `Agora valem os limites do plano gratuito na empresa ${n.companyName}.`,
      paths.plans,
    ),
  'subscription.canceled': (n) =>
    say('info', 'Assinatura cancelada', n.deadline ? `O ${n.onPlan} vale${n.by}.` : `Terminou o ${n.onPlan}.`),
  'subscription.reactivated': (n) => say('success', 'Assinatura reativada', `Continua o ${n.onPlan}.`),
  'plan.activated': (n) => say('success', 'Assinatura ativa', `Começou o ${n.onPlan}.`),
  'plan.upgraded': (n) => say('success', 'Upgrade de plano', `Agora vale o ${n.onPlan}.`),
  'plan.downgraded': (n) => say('info', 'Downgrade de plano', `Agora vale o ${n.onPlan}.`),
  'plan.scheduled': (n) => say('info', 'Mudança de plano agendada', `Em ${n.day} começa o ${n.onPlan}.`),
  'plan.kept': (n) => say('info', 'Mudança de plano desfeita', `Continua o ${n.onPlan}.`),
  'plan.changed': (n) => say('info', 'Plano alterado', `Agora vale o ${n.onPlan}.`),
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
  return words[topic]({
    ...notification,
    day,
    by: day && ` até ${day}`,
    amountText: formatMinor(amount ?? 0),
    onPlan: `plano ${planName ?? 'escolhido'} da empresa ${companyName}`,
  })
}

function roleText(before: string, { role }: Notification): string {
  return role ? `${before}${companyRoleLabels[role]}` : ''
}
