// @vitest-environment happy-dom
import { createElement, type ReactNode } from 'react'
import { renderHook } from '@testing-library/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { payment } from '../../../test/checkout'
import type { Payment } from '../../api/payments'
import { changeSubscription } from '../../api/subscriptions'
import { useExecuteChange } from './use-execute-change'

vi.mock('../../api/subscriptions', async (importOriginal) => ({
  ...(await importOriginal<typeof import('../../api/subscriptions')>()),
  changeSubscription: vi.fn(() => new Promise(() => undefined)),
}))

/** Shows an open payment that then becomes `end`. */
function watch(end: Partial<Payment>) {
  const metadata = { planId: 'p1', billingCycle: 'monthly', changeType: 'downgrade' } as Payment['metadata']
  const queries = emptyCache()
  const { rerender } = renderHook((rest: Partial<Payment>) => useExecuteChange(payment({ metadata, ...rest })), {
    initialProps: {},
    wrapper: ({ children }: { children: ReactNode }) =>
      createElement(QueryClientProvider, { client: queries }, children),
  })
  rerender(end)
  rerender({ ...end, version: 3 })
}

test('a payment that succeeds while it is shown asks once for its change', () => {
  watch({ status: 'SUCCESS' })
  const choice = { planId: 'p1', billingCycle: 'monthly' }
  expect(vi.mocked(changeSubscription).mock.calls).toEqual([['c1', 'upgrade', choice, 'applied pay1']])
})

test('a payment that only became credit asks for no change', () => {
  watch({ status: 'SUCCESS', credited: true })
  expect(changeSubscription).not.toHaveBeenCalled()
})
