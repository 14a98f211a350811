// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react'
import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { emptyCache, payment, subscription } from '../../../test/cache'
import { api } from '../../api/client'
import { ApiError } from '../../api/errors'
import type { Plan } from '../../api/plans'
import { paymentDialog } from '../../live/payment-dialog'
import { usePlanChange } from './use-plan-change'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

const plan = { id: 'p1', displayName: 'Essencial', monthlyPrice: 49.9, features: [] } as unknown as Plan

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
