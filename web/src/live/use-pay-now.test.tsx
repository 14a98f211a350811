// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react'
import { MemoryRouter, useLocation } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { ApiError } from '../api/errors'
import { previewChange, type Preview } from '../api/subscriptions'
import { usePayNow } from './use-pay-now'
import { closePaymentDialog, paymentDialog } from './payment-dialog'

vi.mock('../api/subscriptions')

afterEach(() => {
  cleanup()
  closePaymentDialog()
})

const preview = (amountDue: number) =>
  ({ changeType: 'renewal', quoteId: 'q1', newPlan: { name: 'Essencial' }, billing: { amountDue } }) as Preview

/** Presses "Pagar agora"; the page is left or not before the quote is there. */
async function press(quote: () => Promise<Preview>, { leaves }: { leaves: boolean }) {
  let answer: () => void = () => undefined
  vi.mocked(previewChange).mockReturnValue(new Promise<void>((resolve) => (answer = resolve)).then(quote))
  const subscription = { companyId: 'c1', planId: 'p1', billingCycle: 'monthly' } as const
  const where = renderHook(() => ({ ...usePayNow(subscription), path: useLocation().pathname }), {
    wrapper: MemoryRouter,
  })
  act(() => where.result.current.pay())
  expect(where.result.current.busy).toBe(true)
  if (leaves) where.unmount()
  await act(async () => answer())
  return where.result
}

test('a payment opens when its price is known', async () => {
  const result = await press(async () => preview(59.9), { leaves: false })
  expect(paymentDialog.get()).toMatchObject({ kind: 'checkout', order: { companyId: 'c1', amount: 5990 } })
  expect(result.current.busy).toBe(false)
})

test('a refusal leads to the page of the plans', async () => {
  const refused = async () => Promise.reject(new ApiError('PLAN_NOT_AVAILABLE', { status: 409 }))
  const result = await press(refused, { leaves: false })
  expect(result.current.path).toBe('/plans')
})

test('nothing opens once the page was left', async () => {
  await press(async () => preview(59.9), { leaves: true })
  expect(paymentDialog.get().kind).toBe('closed')
})
