// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { emptyCache, payment } from '../../../test/cache'
import { renderAt } from '../../../test/render'
import type { Company } from '../../api/companies'
import { paymentsQuery } from '../../api/payments'
import { subscriptionKeys } from '../../api/subscriptions'
import { RecentActivity } from './recent-activity'

test('a payment that is on its way has the clock here as in every other list', () => {
  const queries = emptyCache()
  const history = { pages: [{ history: [], page: 1, total: 0 }], pageParams: [1] }
  queries.setQueryData(subscriptionKeys.history('c1'), history)
  const row = { amount: 4990, currency: 'brl', paymentMethod: 'PIX', createdAt: '2026-11-21T12:00:00Z' } as const
  const payments = [payment(1, { ...row, status: 'PROCESSING' })]
  queries.setQueryData(paymentsQuery('c1', {}, 1).queryKey, { payments, page: 1, total: 1, totalPaid: 0 } as never)
  renderAt('/', <RecentActivity company={{ id: 'c1', userRole: 'admin' } as Company} />, queries)
  expect(screen.getByText('Processando').querySelector('.lucide-clock')).not.toBeNull()
})
