// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { MemoryRouter } from 'react-router'
import { afterEach, expect, test } from 'vitest'
import { emptyCache } from '../../../test/cache'
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
  render(
    <QueryClientProvider client={emptyCache()}>
      <MemoryRouter>
        <SubscriptionSummary subscription={subscription} canManage={canManage} />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  expect(screen.getByRole('link').textContent).toBe(label)
})
