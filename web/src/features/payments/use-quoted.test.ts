// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { ApiError } from '../../api/errors'
import { previewChange, type Preview } from '../../api/subscriptions'
import { order } from '../../../test/checkout'
import { useQuoted } from './use-quoted'

vi.mock('../../api/subscriptions')

const asked = vi.mocked(previewChange)
const MINUTE = 60_000
const preview = (amountDue: number, minutesLeft = 15) =>
  ({
    changeType: 'renewal',
    quoteId: 'q2',
    newPlan: { name: 'Essencial' },
    billing: { amountDue },
    expiresAt: new Date(Date.now() + minutesLeft * MINUTE).toISOString(),
  }) as Preview
const then = vi.fn()
const mount = () => renderHook(() => useQuoted())

test('an order of which only the payment is left is quoted again', async () => {
  const quote = preview(59.9)
  asked.mockResolvedValue(quote)
  const { result } = mount()
  await act(() => result.current.ask(order, then))
  expect(asked.mock.calls[0]?.slice(0, 2)).toEqual(['c1', { planId: 'p1', billingCycle: 'monthly' }])
  expect(then).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ amount: 5990, changeType: 'renewal', quoteId: 'q2', preview: quote }),
  )
  expect(result.current.busy).toBe(false)
})

test('an order with its quote goes on at once', async () => {
  const known = { ...order, preview: preview(49.9) }
  const { result } = mount()
  await act(() => result.current.ask(known, then))
  expect(asked).not.toHaveBeenCalled()
  expect(then).toHaveBeenCalledExactlyOnceWith(known)
})

test('an order whose quote has run out is quoted again', async () => {
  const quote = preview(49.9)
  asked.mockResolvedValue(quote)
  const { result } = mount()
  await act(() => result.current.ask({ ...order, preview: preview(49.9, -1) }, then))
  expect(then).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ preview: quote }))
})

test('without an answer, or with nothing to pay, the order goes on as it is', async () => {
  const { result } = mount()
  asked.mockRejectedValueOnce(new ApiError('NETWORK_ERROR'))
  await act(() => result.current.ask(order, then))
  asked.mockResolvedValueOnce(preview(0))
  await act(() => result.current.ask(order, then))
  expect(then.mock.calls).toEqual([[order], [order]])
})

test('nothing opens after the dialog was closed', async () => {
  let answer: (quote: Preview) => void = () => undefined
  asked.mockReturnValue(new Promise((resolve) => (answer = resolve)))
  const { result, unmount } = mount()
  let asking: Promise<void> | undefined
  act(() => void (asking = result.current.ask(order, then)))
  expect(result.current.busy).toBe(true)
  unmount()
  answer(preview(59.9))
  await asking
  expect(then).not.toHaveBeenCalled()
})

test('nothing is asked for whoever closed the dialog before, while its payment was being cancelled', async () => {
  const { result, unmount } = mount()
  unmount()
  await result.current.ask({ ...order, preview: preview(49.9) }, then)
  await result.current.ask(order, then)
  expect([asked.mock.calls, then.mock.calls]).toEqual([[], []])
})
