// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest'
import type { Subscription } from '../api/subscriptions'
import { expiryText, isAhead, isDue, needsAction, renewalOf } from './subscription-state'

const DAY = 24 * 60 * 60_000
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString()
const subscriptionWith = (rest: Partial<Subscription>) =>
  ({ status: 'active', plan: { isFree: false }, nextBillingDate: inDays(20), ...rest }) as Subscription

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

test('an open payment, a renewal that is due and the way back come before another choice of plan', () => {
  expect(needsAction(subscriptionWith({ status: 'pending', payment: {} as Subscription['payment'] }))).toBe(true)
  expect(needsAction(subscriptionWith({ status: 'suspended' }))).toBe(true)
  expect(needsAction(subscriptionWith({ status: 'expired' }))).toBe(true)
  expect(needsAction(subscriptionWith({ status: 'canceled', endDate: inDays(3) }))).toBe(true)
  expect(needsAction(subscriptionWith({ status: 'canceled', endDate: inDays(-3) }))).toBe(false)
  expect(needsAction(subscriptionWith({ nextBillingDate: inDays(5) }))).toBe(false)
  expect(needsAction(subscriptionWith({}))).toBe(false)
})

describe('a renewal', () => {
  test('is due from the end of the paid period on, also while its payment is open', () => {
    expect(isDue(subscriptionWith({ daysUntilExpiry: 0 }))).toBe(true)
    expect(isDue(subscriptionWith({ nextBillingDate: inDays(-1) }))).toBe(true)
    expect(isDue(subscriptionWith({}))).toBe(false)
    expect(isDue(subscriptionWith({ status: 'suspended', daysUntilExpiry: 0 }))).toBe(false)
  })
  test('settles what is due or suspended, and starts an expired subscription again', () => {
    expect(renewalOf(subscriptionWith({ daysUntilExpiry: 0 }))).toBe('settle')
    expect(renewalOf(subscriptionWith({ status: 'suspended' }))).toBe('settle')
    expect(renewalOf(subscriptionWith({ status: 'expired' }))).toBe('again')
  })
  test('buys the next period from ten days before the end, and not over a pending change', () => {
    expect(renewalOf(subscriptionWith({ nextBillingDate: inDays(9.9) }))).toBe('next')
    expect(renewalOf(subscriptionWith({ nextBillingDate: inDays(10.1) }))).toBeNull()
    expect(
      renewalOf(subscriptionWith({ nextBillingDate: inDays(5), pendingChange: {} as Subscription['pendingChange'] })),
    ).toBeNull()
  })
  test('is nothing for a free, canceled or pending subscription', () => {
    expect(
      renewalOf(subscriptionWith({ plan: { isFree: true } as Subscription['plan'], status: 'expired' })),
    ).toBeNull()
    expect(renewalOf(subscriptionWith({ status: 'canceled', nextBillingDate: undefined }))).toBeNull()
    expect(renewalOf(subscriptionWith({ status: 'pending', nextBillingDate: undefined }))).toBeNull()
  })
})
