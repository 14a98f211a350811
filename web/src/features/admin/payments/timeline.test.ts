// The steps of a payment, as its sheet lists them.
import { describe, expect, test } from 'vitest'
import { detail } from '../../../../test/admin-payment'
import { stepsOf } from './timeline'

describe('the timeline of a payment', () => {
  test('is in the order of the instants, and at one instant cause stands before effect', () => {
    expect(stepsOf(detail).map(({ text, small }) => [text, small.replace(/\s/g, ' ')])).toEqual([
      ['Email não enviado: desistimos', '33 tentativas'],
      ['Mensagem do provedor recebida', 'payment_intent.succeeded'],
      ['Pagamento aprovado', 'Sistema'],
      ['Mensagem do provedor: tratada', 'payment_intent.succeeded'],
      ['Mudança gravada para as telas da empresa', 'evento 41'],
      ['Notificação: Pagamento aprovado', 'para 2 pessoas'],
      ['Email na fila, ainda não enviado', expect.stringMatching(/^1 tentativa · próxima em 21\/11\/2026/)],
      [expect.stringMatching(/^Reembolso de R\$\s9,90 aceito pelo provedor$/), 're_1'],
      ['Mensagem do provedor recebida', 'charge.refunded'],
    ])
  })
  test('says nothing of a refund that the provider has not accepted, and shows unknown codes as they are', () => {
    const [refund] = detail.refunds
    const trail = { ...detail.trail, webhooks: [], events: [], mails: [] }
    const notifications = [{ topic: 'payment.new_thing', at: '2026-11-21T12:01:00Z', people: 1 }]
    const pending = { ...refund!, state: 'pending' as const, providerRefund: null, settledAt: null }
    const steps = stepsOf({ ...detail, history: [], refunds: [pending], trail: { ...trail, notifications } })
    expect(steps.map(({ text, small }) => `${text} ${small}`)).toEqual(['Notificação: payment.new_thing para 1 pessoa'])
  })
  test('a refund that failed later was accepted before', () => {
    const [refund] = detail.refunds
    const failed = { ...refund!, state: 'refused' as const, refusal: 'declined' }
    const texts = stepsOf({ ...detail, refunds: [failed] }).map(({ text }) => text)
    expect(texts).toContainEqual(expect.stringMatching(/^Reembolso de R\$\s9,90 aceito pelo provedor$/))
  })
  test('every step has a key of its own', () => {
    const keys = stepsOf(detail).map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
  })
})
