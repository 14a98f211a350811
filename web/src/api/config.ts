// The public settings of this server (`GET /api/config`).
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap, type Schemas } from './client'

export type PublicConfig = Schemas['PublicConfig']

export function loadConfig(signal: AbortSignal) {
  return unwrap(api.GET('/api/config', { signal }))
}

export function configQuery() {
  return queryOptions({
    queryKey: ['config'],
    queryFn: ({ signal }) => loadConfig(signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
}
