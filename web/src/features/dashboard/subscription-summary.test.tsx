// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { renderAt } from '../../../test/render'
import type { Subscription } from '../../api/subscriptions'
import { SubscriptionSummary } from './subscription-summary'

const subscription = {
  id: 's1',
  companyId: 'c1',
  status: 'active',
  plan: { displayName: 'Essencial', isFree: true },
  price: 49.9,
  billingCycle: 'monthly',
} as Subscription

test.each([
  [true, 'Mudar Plano'],
  [false, 'Ver Planos'],
])('the way to the plans promises a change only to who can make one (%s)', (canManage, label) => {
  renderAt('/', <SubscriptionSummary subscription={subscription} canManage={canManage} />, emptyCache())
  expect(screen.getByRole('link').textContent).toBe(label)
})

test('whose plan has become free still reads the own price, and when it is due', () => {
  const state = { kind: 'runs', deadline: '2036-12-21T12:00:00Z', amount: 49.9 } as Subscription['state']
  renderAt('/', <SubscriptionSummary subscription={{ ...subscription, state }} canManage />, emptyCache())
  screen.getByText('R$ 49,90 · Mensal')
  screen.getByText(/^Vence em 21\/12\/2036/)
})
