// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { notification } from '../../test/notification'
import type { Notification } from '../api/notifications'
import { notificationWords } from './notification-words'

const DEADLINE = '2026-12-25T15:00:00Z'
const said = (topic: Notification['topic'], rest: Partial<Notification> = {}) => {
  const { title, detail } = notificationWords(notification(1, { topic, deadline: DEADLINE, ...rest }))
  return `${title} | ${detail}`.replaceAll('\u00a0', ' ')
}

test('every sentence names what a reader needs to act', () => {
  const plan = 'plano Profissional da empresa Ponto Central'
  const cases: [Notification['topic'], string][] = [
    ['payment.approved', `Pagamento aprovado | R$ 99,90 pelo ${plan}.`],
    ['payment.credited', 'Pagamento virou crédito | R$ 99,90 a favor da empresa Ponto Central.'],
    ['payment.refused', `Pagamento recusado | R$ 99,90 pelo ${plan}. Se algo foi debitado, será devolvido.`],
    ['renewal.announced', `Assinatura renova em 25/12/2026 no cartão salvo, R$ 99,90 | P${plan.slice(1)}.`],
    ['renewal.ahead', `Assinatura vence em 25/12/2026: pague até lá para não perder o plano | R$ 99,90 pelo ${plan}.`],
    ['renewal.due', `Assinatura vencida: pague até 25/12/2026 às 12:00 para não ser suspensa | R$ 99,90 pelo ${plan}.`],
    ['renewal.failed', `Cartão salvo recusado | Pague R$ 99,90 pelo ${plan} até 25/12/2026 às 12:00.`],
    ['renewal.confirmation', `O banco pede confirmação | Confirme R$ 99,90 pelo ${plan} até 25/12/2026 às 12:00.`],
    ['subscription.expiring', `Assinatura expira em 25/12/2026 | P${plan.slice(1)}.`],
    [
      'subscription.suspended',
      `Assinatura suspensa: pague até 25/12/2026 às 12:00 para ter o plano de volta | R$ 99,90 pelo ${plan}.`,
    ],
    ['subscription.canceled', `Assinatura cancelada: o plano vale até 25/12/2026 às 12:00 | P${plan.slice(1)}.`],
    ['plan.scheduled', `Mudança de plano agendada | Em 25/12/2026 começa o ${plan}.`],
  ]
  for (const [topic, sentence] of cases) expect(said(topic)).toBe(sentence)
  expect(said('subscription.renewed', { amount: 0 })).toBe(
    `Assinatura renovada | O crédito pagou o ${plan} até 25/12/2026 às 12:00.`,
  )
  expect(said('member.added', { role: 'finance' })).toBe(
    'Você agora faz parte da empresa Ponto Central | Seu papel: Financeiro',
  )
})

test('a line leads to the document of what was paid, and to the payment of what is due', () => {
  const path = (topic: Notification['topic']) => notificationWords(notification(1, { topic })).path
  expect(path('payment.approved')).toBe('/invoices/p1')
  expect(path('payment.refused')).toBe('/payments/p1')
  expect(path('renewal.due')).toBe('/plans?companyId=c1&pay=renewal')
  expect(path('subscription.expiring')).toBe('/plans?companyId=c1&pay=renewal')
  expect(path('company.ended')).toBeNull()
})

test('a topic of a newer server names its company', () => {
  const unknown = notification(1, { topic: 'payment.disputed' as Notification['topic'] })
  expect(notificationWords(unknown)).toMatchObject({ title: 'Novidade na empresa Ponto Central', detail: '' })
})
