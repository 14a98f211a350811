// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { emptyCache, payment, subscription } from '../../../test/cache'
import { api } from '../../api/client'
import { ApiError } from '../../api/errors'
import type { Plan } from '../../api/plans'
import type { PlanChoice, Subscription } from '../../api/subscriptions'
import { paymentDialog } from '../../live/payment-dialog'
import { usePlanChange } from './use-plan-change'

const plan = { id: 'p1', displayName: 'Essencial', monthlyPrice: 49.9, features: [] } as unknown as Plan

const full = { id: 'p2', displayName: 'Profissional', monthlyPrice: 99.9, features: [] } as unknown as Plan
const free = { id: 'p0', displayName: 'Grátis', isFree: true, monthlyPrice: 0, features: [] } as unknown as Plan
const boleto = payment(1, { paymentMethod: 'BANK_SLIP', bankSlipLine: '001' })
const paid = subscription(1, {
  status: 'active',
  planId: 'p1',
  plan,
  billingCycle: 'quarterly',
  price: 149.7,
  nextBillingDate: '2036-12-21T12:00:00Z',
  payment: boleto,
} as unknown as Partial<Subscription>)

function changeOf(held: Subscription | null) {
  const queries = emptyCache()
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>{children}</QueryClientProvider>
  )
  const useChange = (now: Subscription | null) => usePlanChange('c1', [free, plan, full], now)
  return renderHook(useChange, { wrapper, initialProps: held })
}

test.each<[string, PlanChoice, Subscription, boolean]>([
  ['a dearer plan', { planId: 'p2', billingCycle: 'quarterly' }, paid, false],
  ['the free plan', { planId: 'p0', billingCycle: 'monthly' }, paid, true],
  ['a shorter cycle', { planId: 'p1', billingCycle: 'monthly' }, paid, true],
  ['a longer cycle', { planId: 'p1', billingCycle: 'yearly' }, paid, false],
  [
    'a shorter cycle of a due renewal',
    { planId: 'p1', billingCycle: 'monthly' },
    { ...paid, nextBillingDate: '2026-01-01T12:00:00Z' },
    false,
  ],
])('the question about an open boleto knows whether %s costs anything', (_, choice, held, costsNothing) => {
  const { result: change } = changeOf(held)
  act(() => change.current.choose(choice))
  expect(paymentDialog.get()).toMatchObject({ kind: 'conflict', paymentId: boleto.id, costsNothing })
})

const quoted = { changeType: 'upgrade', newPlan: { name: 'Profissional' }, billing: { amountDue: 99.9 } }

test('a change without cost that meets an open payment leads to it', async () => {
  const preview = { changeType: 'downgrade', newPlan: { name: 'Grátis' }, billing: { amountDue: 0 } }
  vi.spyOn(api, 'POST').mockImplementation(((path: string) =>
    path.endsWith('/preview-change')
      ? Promise.resolve(answerOf({ preview }))
      : Promise.reject(new ApiError('PAYMENT_IN_PROGRESS', { status: 409, fields: { paymentId: 'pay9' } }))) as never)
  vi.spyOn(console, 'warn').mockReturnValue()
  paymentDialog.set({ kind: 'closed' })
  const { result: change } = changeOf({ ...paid, payment: undefined })
  await act(async () => change.current.choose({ planId: 'p0', billingCycle: 'monthly' }))
  await act(async () => change.current.confirm())
  expect(paymentDialog.get()).toMatchObject({ kind: 'conflict', paymentId: 'pay9', costsNothing: true })
  expect(change.current.failure).toBeNull()
})

test('a payment in the place of an open one stays so when there is no quote', async () => {
  vi.spyOn(api, 'POST').mockRejectedValue(new ApiError('INTERNAL_ERROR', { status: 500 }))
  const queries = emptyCache()
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>{children}</QueryClientProvider>
  )
  const paying = subscription(1, { payment: payment(1, { paymentMethod: 'BANK_SLIP' }) })
  const { result } = renderHook(() => usePlanChange('c1', [plan], paying), { wrapper })
  act(() => result.current.choose({ planId: 'p1', billingCycle: 'monthly' }))
  const asked = paymentDialog.get()
  expect(asked.kind).toBe('conflict')
  await act(async () => asked.kind === 'conflict' && asked.proceed(true))
  await vi.waitFor(() => expect(paymentDialog.get()).toMatchObject({ kind: 'checkout', replace: true }))
})

test('a missing preview is told where its plan is paid, and of another plan on the page', async () => {
  const error = new ApiError('INTERNAL_ERROR', { status: 500 })
  vi.spyOn(api, 'POST').mockRejectedValue(error)
  paymentDialog.set({ kind: 'closed' })
  const missing = { title: 'Erro ao calcular preview da mudança', error }
  const { result: change } = changeOf(null)
  await act(async () => change.current.choose({ planId: 'p1', billingCycle: 'monthly' }))
  expect(paymentDialog.get()).toMatchObject({ kind: 'checkout', unquoted: missing })
  expect(change.current.failure).toBeNull()
  paymentDialog.set({ kind: 'closed' })
  await act(async () => change.current.choose({ planId: 'p0', billingCycle: 'monthly' }))
  expect(paymentDialog.get()).toEqual({ kind: 'closed' })
  expect(change.current.failure).toEqual(missing)
})

test.each([
  ['an answer', async () => answerOf({ preview: quoted })],
  ['a failure', () => Promise.reject(new ApiError('INTERNAL_ERROR', { status: 500 }))],
])('%s that comes when the page was left opens no payment', async (_, answer) => {
  paymentDialog.set({ kind: 'closed' })
  let arrive = (): void => undefined
  const asked = new Promise<void>((resolve) => (arrive = resolve))
  vi.spyOn(api, 'POST').mockImplementation((() => asked.then(answer)) as never)
  const { result: change, unmount } = changeOf({ ...paid, payment: undefined })
  act(() => change.current.chooseAndPay({ planId: 'p2', billingCycle: 'monthly' }))
  unmount()
  await act(async () => arrive())
  expect(paymentDialog.get()).toEqual({ kind: 'closed' })
})

test('a quote is taken anew after a quarter of an hour, whatever was read of the plans meanwhile', async () => {
  vi.useFakeTimers()
  const answer = answerOf({ preview: quoted })
  const post = vi.spyOn(api, 'POST').mockResolvedValue(answer)
  const { result: change, rerender } = changeOf({ ...paid, payment: undefined })
  await act(async () => change.current.choose({ planId: 'p2', billingCycle: 'monthly' }))
  await act(() => vi.advanceTimersByTimeAsync(10 * 60_000))
  rerender({ ...paid, payment: undefined })
  await act(() => vi.advanceTimersByTimeAsync(5 * 60_000))
  expect(post).toHaveBeenCalledTimes(2)
})

const unpaid: Subscription = { ...paid, payment: undefined }
const scheduled: Subscription = {
  ...unpaid,
  pendingChange: { planName: 'Grátis', billingCycle: 'monthly' } as Subscription['pendingChange'],
}

test.each([
  ['another plan', { ...unpaid, planId: 'p0' }],
  ['a change at the end of the period', scheduled],
  ['more credit', { ...unpaid, creditBalance: 10 }],
])('the open quote follows a colleague who makes %s of the subscription, and says so', async (_, now) => {
  const post = vi.spyOn(api, 'POST').mockResolvedValue(answerOf({ preview: quoted }))
  const { result: change, rerender } = changeOf(unpaid)
  await act(async () => change.current.choose({ planId: 'p2', billingCycle: 'monthly' }))
  await act(async () => rerender({ ...unpaid, version: 2 }))
  expect(post).toHaveBeenCalledOnce()
  expect(change.current.isFollowed).toBe(false)
  await act(async () => rerender(now))
  expect(post).toHaveBeenCalledTimes(2)
  expect(change.current.isFollowed).toBe(true)
  await act(async () => change.current.choose({ planId: 'p2', billingCycle: 'yearly' }))
  expect(change.current.isFollowed).toBe(false)
})

test('what the own change makes of the subscription is no news', async () => {
  const preview = { changeType: 'downgrade', newPlan: { name: 'Grátis' }, billing: { amountDue: 0 } }
  const post = vi
    .spyOn(api, 'POST')
    .mockResolvedValueOnce(answerOf({ preview }))
    .mockReturnValue(new Promise(() => undefined) as never)
  const { result: change, rerender } = changeOf(unpaid)
  await act(async () => change.current.choose({ planId: 'p0', billingCycle: 'monthly' }))
  await act(async () => change.current.confirm())
  await act(async () => rerender(scheduled))
  expect(post).toHaveBeenCalledTimes(2)
  expect(change.current.isFollowed).toBe(false)
})

test('a subscription that goes with its first payment is no news, nor is one that waits for it', async () => {
  const post = vi.spyOn(api, 'POST').mockResolvedValue(answerOf({ preview: quoted }))
  const waiting = subscription(1, { creditBalance: 0 })
  const { result: change, rerender } = changeOf(waiting)
  await act(async () => change.current.choose({ planId: 'p2', billingCycle: 'monthly' }))
  await act(async () => rerender(null))
  await act(async () => rerender(waiting))
  expect(post).toHaveBeenCalledOnce()
  expect(change.current.isFollowed).toBe(false)
})
