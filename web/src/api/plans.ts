// The public catalogue (`/api/subscriptions/plans`) and its cache keys. Prices are decimal reais, -1 is unlimited.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap, type Schemas } from './client'

export type Plan = Schemas['PlanView']

export const planKeys = { list: ['plans'] as const }

/** The active plans, by hierarchy. */
export function loadPlans(signal: AbortSignal): Promise<Plan[]> {
  return unwrap(api.GET('/api/subscriptions/plans', { signal })).then(({ plans }) => plans)
}

export function plansQuery() {
  return queryOptions({ queryKey: planKeys.list, queryFn: ({ signal }) => loadPlans(signal) })
}
