// An empty query cache, and objects of the API as far as the live channel looks at them.
import { QueryClient } from '@tanstack/react-query'
import type { Payment } from '../src/api/payments'
import type { Subscription } from '../src/api/subscriptions'

/** Nothing in it is asked for by itself. */
export function emptyCache(): QueryClient {
  return new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } } })
}

export function payment(version: number, rest: Partial<Payment> = {}): Payment {
  return { id: 'p1', companyId: 'c1', status: 'PENDING', version, ...rest } as Payment
}

export function subscription(version: number, rest: Partial<Subscription> = {}): Subscription {
  return { id: 's1', companyId: 'c1', status: 'pending', version, ...rest } as Subscription
}
