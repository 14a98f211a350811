// The public settings of this server (`GET /api/config`).
import { queryOptions } from '@tanstack/react-query'
import { call } from './client'

export interface PublicConfig {
  salesEmail: string
  minAge: number
  environment: string
  version: string
  sandbox: boolean
  serverTime: string
}

export function configQuery() {
  return queryOptions({
    queryKey: ['config'],
    queryFn: ({ signal }) => call<PublicConfig>('GET', '/api/config', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}
