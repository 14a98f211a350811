// The way of one payment in one order, from the rows that are stored of it: acts, the provider's messages, what was
// written for open pages, who was told, refunds, mails that wait. Nothing is said that no row proves.
import type { AdminPaymentDetail } from '../../../api/admin-payments'
import { actText, outcomeText } from '../../../api/audit-words'
import { formatDateTime } from '../../../lib/dates'
import { formatMinor } from '../../../lib/money'

interface Step {
  key: string
  at: string
  text: string
  /** Beside it, in small letters; empty for none. */
  small: string
  /** The code of the text, for who looks into a log. */
  code: string
}

type Trail = AdminPaymentDetail['trail']

const outcomes: Record<string, string> = {
  handled: 'tratada',
  foreign: 'não é de um pagamento daqui',
  ignored: 'sem efeito para o pagamento',
}

const topics: Record<string, string> = {
  'payment.approved': 'Pagamento aprovado',
  'payment.credited': 'Pagamento virou crédito',
  'payment.refused': 'Pagamento recusado',
  'payment.expired': 'Pagamento expirado',
  'renewal.failed': 'Cartão salvo recusado',
  'renewal.confirmation': 'O banco pede confirmação',
  'subscription.renewed': 'Assinatura renovada',
}

/** Oldest first. What happened at one instant stays in the order of its kind: cause before effect. */
export function stepsOf(payment: AdminPaymentDetail): Step[] {
  const { trail } = payment
  const steps = [
    ...trail.webhooks.map(received),
    ...actsOf(payment),
    ...trail.webhooks.flatMap(handled),
    ...refundsOf(payment),
    ...trail.events.map(written),
    ...trail.notifications.map(told),
    ...trail.mails.map(waiting),
  ]
  return steps.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
}

/** The newest comes first from the server, also among those of one instant. */
function actsOf({ history }: AdminPaymentDetail): Step[] {
  return history.toReversed().map(({ id, at, action, outcome, actorName }) => ({
    key: id,
    at,
    text: actText(action),
    small: [actorName ?? 'Sistema', outcomeText(outcome)].filter(Boolean).join(' · '),
    code: action,
  }))
}

function received({ id, type, receivedAt }: Trail['webhooks'][number]): Step {
  return { key: `${id} received`, at: receivedAt, text: 'Mensagem do provedor recebida', small: type, code: id }
}

function handled({ id, type, handledAt, outcome }: Trail['webhooks'][number]): Step[] {
  if (handledAt == null) return []
  const how = outcome == null ? 'tratada' : (outcomes[outcome] ?? outcome)
  return [{ key: `${id} handled`, at: handledAt, text: `Mensagem do provedor: ${how}`, small: type, code: id }]
}

function written({ name, seq, at }: Trail['events'][number]): Step {
  return {
    key: `event ${seq}`,
    at,
    text: 'Mudança gravada para as telas da empresa',
    small: `evento ${seq}`,
    code: name,
  }
}

function told({ topic, at, people }: Trail['notifications'][number]): Step {
  const whom = people === 1 ? '1 pessoa' : `${people} pessoas`
  return {
    key: `${topic} ${at}`,
    at,
    text: `Notificação: ${topics[topic] ?? topic}`,
    small: `para ${whom}`,
    code: topic,
  }
}

function waiting(mail: Trail['mails'][number], index: number): Step {
  const { createdAt, attempts, nextTryAt, givenUpAt } = mail
  const tries = attempts === 1 ? '1 tentativa' : `${attempts} tentativas`
  const text = givenUpAt == null ? 'Email na fila, ainda não enviado' : 'Email não enviado: desistimos'
  const next = nextTryAt == null ? '' : `próxima em ${formatDateTime(nextTryAt)}`
  return { key: `mail ${index}`, at: createdAt, text, small: [tries, next].filter(Boolean).join(' · '), code: 'mail' }
}

/** The act of asking stands in the audit, and so does a refusal, also of one that was accepted before. */
function refundsOf({ refunds, currency }: AdminPaymentDetail): Step[] {
  return refunds.flatMap(({ id, amount, settledAt, providerRefund }) =>
    providerRefund != null && settledAt != null
      ? [
          {
            key: `refund ${id}`,
            at: settledAt,
            text: `Reembolso de ${formatMinor(amount, currency)} aceito pelo provedor`,
            small: providerRefund,
            code: 'refund',
          },
        ]
      : [],
  )
}
