// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderAt } from '../../../test/render'
import type { Subscription } from '../../api/subscriptions'
import { SubscriptionSummary } from './subscription-summary'

afterEach(cleanup)

const subscription = {
  id: 's1',
  companyId: 'c1',
  status: 'active',
  plan: { displayName: 'Essencial', isFree: true },
} as Subscription

test.each([
  [true, 'Mudar Plano'],
  [false, 'Ver Planos'],
])('the way to the plans promises a change only to who can make one (%s)', (canManage, label) => {
  renderAt('/', <SubscriptionSummary subscription={subscription} canManage={canManage} />, emptyCache())
  expect(screen.getByRole('link').textContent).toBe(label)
})
