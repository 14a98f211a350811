// The audit of one company, for its admins: a page of it, and all of it for a file.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap, type Schemas } from './client'
import { companyKeys } from './companies'
import { ApiError } from './errors'

export type CompanyAuditEntry = Schemas['LogEntry']

export interface CompanyAuditFilter {
  actor?: string
  /** The noun of the acts. */
  action?: string
  /** Days, both included. */
  from?: string
  to?: string
}

/** Below the company's own key: what ends its reading ends this too. */
export function companyAuditQuery(companyId: string, filter: CompanyAuditFilter, page: number, limit: number) {
  return queryOptions({
    queryKey: [...companyKeys.detail(companyId), 'audit', filter, page, limit],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/companies/{id}/audit', {
          params: { path: { id: companyId }, query: { ...filter, page, limit } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  })
}

/** The server writes down who took it away. */
export async function exportCompanyAudit(companyId: string, filter: CompanyAuditFilter): Promise<CompanyAuditEntry[]> {
  const { data } = await api.GET('/api/companies/{id}/audit/export', {
    params: { path: { id: companyId }, query: { ...filter, format: 'json' } },
  })
  if (!data || typeof data === 'string') throw new ApiError('PARSE_ERROR')
  return data.entries
}
