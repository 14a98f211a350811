// The public catalogue (`/api/subscriptions/plans`) and its cache keys.
import { queryOptions } from '@tanstack/react-query'
import { call } from './client'

export interface Plan {
  id: string
  /** Slug. */
  name: string
  displayName: string
  description: string
  features: string[]
  isFree: boolean
  isPopular: boolean
  /** Decimal reais, as the two below. */
  monthlyPrice: number
  quarterlyPrice: number
  yearlyPrice: number
  /** -1 = unlimited. */
  limits: { maxUsers: number; maxBeeping: number }
  hierarchy: number
}

export const planKeys = { list: ['plans'] as const }

export function plansQuery() {
  return queryOptions({
    queryKey: planKeys.list,
    queryFn: ({ signal }) => call<{ plans: Plan[] }>('GET', '/api/subscriptions/plans', { signal }).then(({ plans }) => plans),
  })
}
