// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest'
import file from '../../../core/tests/vectors/subscription_state.json'
import type { Payment } from '../api/payments'
import type { Subscription } from '../api/subscriptions'
import {
  expiryText,
  isAhead,
  lineOf,
  needsAction,
  statusOf,
  subscriptionState,
  type StateKind,
} from './subscription-state'

const DAY = 24 * 60 * 60_000
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString()
const subscriptionWith = (rest: Partial<Subscription>) =>
  ({ status: 'active', planId: 'p1', plan: { displayName: 'Essencial', isFree: false }, ...rest }) as Subscription
const inState = (kind: StateKind, action?: 'pay' | 'reactivate') =>
  subscriptionWith({ state: { kind, action, amount: 49.9 } })

interface Case {
  name: string
  input: { pendingChange?: { planName: string } }
  expected: { state: NonNullable<Subscription['state']>; sentence: string }
  web?: string
}
const cases = file.cases as Case[]

test('the golden cases are all there', () => expect(cases).toHaveLength(31))

test.each(cases)('$name', ({ input, expected, web }) => {
  expect(lineOf(expected.state, input.pendingChange?.planName)).toBe(web ?? expected.sentence)
})

test('the warning begins seven days before the end and says the end itself', () => {
  const said = [8, 7, 2, 1, 0, -1, undefined].map((daysUntilExpiry) => expiryText({ daysUntilExpiry }))
  expect(said).toEqual([
    null,
    'Sua assinatura expira em 7 dias',
    'Sua assinatura expira em 2 dias',
    'Sua assinatura expira em 1 dia',
    'Sua assinatura expirou',
    null,
    null,
  ])
})

test('an instant is ahead by the clock of the server', () => {
  expect(isAhead(inDays(1))).toBe(true)
  expect(isAhead(inDays(-1))).toBe(false)
  expect(isAhead(null)).toBe(false)
})

describe('a state', () => {
  test('is urgent, with its amount, where somebody has to pay, and nowhere else', () => {
    const kinds: StateKind[] = ['free', 'renews', 'runs', 'changing', 'canceled', 'expired', 'pending']
    expect(kinds.filter((kind) => subscriptionState(inState(kind))?.isUrgent)).toEqual([])
    for (const kind of ['expiring', 'due', 'suspended'] as const)
      expect(subscriptionState(inState(kind, 'pay'))).toMatchObject({
        isUrgent: true,
        amount: 'R$\u00a049,90',
        action: 'pay',
      })
    expect(subscriptionState(inState('renews', 'pay'))?.amount).toBeNull()
  })
  test('asks nobody to pay where nothing can be paid, as in a suspended company', () => {
    const closed = (['expiring', 'due', 'suspended'] as const).map((kind) => subscriptionState(inState(kind)))
    expect(closed.map((state) => state?.line)).toEqual([
      'Vencida',
      'Vencida',
      'Suspensa: valem os limites do plano gratuito',
    ])
    const ending = { state: { kind: 'expiring', deadline: '2026-12-22T15:00:00Z' } } as const
    expect(subscriptionState(subscriptionWith(ending))?.line).toBe('Vence em 22/12/2026')
    for (const state of closed) expect(state).toMatchObject({ isUrgent: false, amount: null, detail: null })
  })
  test('gives way to the open payment: which, how much, until when', () => {
    const payment = {
      amount: 89910,
      currency: 'brl',
      status: 'PENDING',
      paymentMethod: 'BANK_SLIP',
      expiresAt: '2036-12-24T02:59:59Z',
      metadata: { planId: 'p1' },
    } as Payment
    const stateWith = (more: Partial<Payment>) =>
      subscriptionState({ ...inState('due', 'pay'), payment: { ...payment, ...more } })
    expect(stateWith({})).toMatchObject({
      line: 'Pagamento do plano Essencial em aberto: R$\u00a0899,10 por Boleto, até 23/12/2036',
      tone: 'info',
      isUrgent: true,
      action: 'payment',
    })
    expect(stateWith({ paymentMethod: 'PIX', metadata: { ...payment.metadata, planId: 'p2' } })?.line).toBe(
      'Pagamento em aberto: R$\u00a0899,10 por PIX, até 23/12/2036, 23:59',
    )
    expect(stateWith({ expiresAt: '2025-12-24T02:59:59Z' })?.line).toBe(
      'Pagamento do plano Essencial em aberto: R$\u00a0899,10 por Boleto, vencido em 23/12/2025',
    )
    expect(stateWith({ status: 'PROCESSING', paymentMethod: 'CREDIT_CARD' })?.line).toBe(
      'Pagamento do plano Essencial em processamento: R$\u00a0899,10 por Cartão de Crédito',
    )
    expect(stateWith({ status: 'FAILED', paymentMethod: 'CREDIT_CARD' })).toMatchObject({
      line: 'Pagamento do plano Essencial recusado: R$\u00a0899,10 por Cartão de Crédito',
      tone: 'warning',
      isUrgent: true,
      action: 'payment',
    })
  })
  test('of a scheduled downgrade says what is lost and what comes to be paid', () => {
    const limits = { maxUsers: 10, maxBeeping: 5000 }
    const pendingChange = { planName: 'Grátis', limits } as Subscription['pendingChange']
    const state = { kind: 'changing', deadline: '2026-12-22T15:00:00Z', amount: 49.9 } as const
    expect(subscriptionState(subscriptionWith({ pendingChange, state }))).toMatchObject({
      line: 'Muda para Grátis em 22/12/2026',
      detail:
        'O plano Essencial vale até lá. Depois: até 10 usuários e 5.000 bipagens por mês. Valor a pagar nesse dia: R$\u00a049,90.',
      isUrgent: false,
    })
  })
  test('is not known of an older server', () => {
    expect(subscriptionState(subscriptionWith({ state: undefined }))).toBeNull()
  })
  test('is not known of a newer server whose word is not known here', () => {
    expect(subscriptionState(inState('frozen' as StateKind))).toBeNull()
  })
})

test('in the days of grace an active subscription is no good news', () => {
  expect(statusOf(inState('due'))).toEqual({ label: 'Ativo', tone: 'warning' })
  expect(statusOf(inState('runs'))).toEqual({ label: 'Ativo', tone: 'success' })
})

test('an open payment, a renewal that is due and the way back come before another choice of plan', () => {
  expect(needsAction(subscriptionWith({ status: 'pending', payment: {} as Payment }))).toBe(true)
  for (const kind of ['due', 'suspended', 'expired'] as const) expect(needsAction(inState(kind, 'pay'))).toBe(true)
  expect(needsAction(inState('canceled', 'reactivate'))).toBe(true)
  expect(needsAction(inState('runs', 'pay'))).toBe(false)
  expect(needsAction(inState('runs'))).toBe(false)
})
