// The calls of `/api/companies` and their cache keys.
import { queryOptions } from '@tanstack/react-query'
import { api, open } from './client'
import type { components } from './schema'

type Schemas = components['schemas']

/** A company as its own member reads it. */
export type Company = Schemas['CompanyView'] & { userRole: Schemas['Role'] }
export type CompanyDetail = Schemas['CompanyDetail'] & { userRole: Schemas['Role'] }
export type Member = Schemas['MemberView']
export type CompanyForm = Schemas['CompanyRequest']

export const companyKeys = {
  list: ['companies'] as const,
  detail: (companyId: string) => ['companies', companyId] as const,
}

export function companiesQuery() {
  return queryOptions({
    queryKey: companyKeys.list,
    queryFn: ({ signal }) => open(api.GET('/api/companies', { signal })).then(({ companies }) => companies.map(withRole)),
  })
}

export function companyQuery(companyId: string) {
  return queryOptions({
    queryKey: companyKeys.detail(companyId),
    queryFn: ({ signal }) => open(api.GET('/api/companies/{id}', { params: { path: { id: companyId } }, signal })).then(({ company }) => withRole(company)),
  })
}

export function createCompany(body: CompanyForm): Promise<Company> {
  return open(api.POST('/api/companies', { body })).then(({ company }) => withRole(company))
}

export function updateCompany(companyId: string, body: CompanyForm): Promise<CompanyDetail> {
  return open(api.PUT('/api/companies/{id}', { params: { path: { id: companyId } }, body })).then(({ company }) => withRole(company))
}

/** The role is absent only where an object goes to several people; whoever has none may do the least. */
function withRole<T extends Schemas['CompanyView']>(company: T): T & { userRole: Schemas['Role'] } {
  return { ...company, userRole: company.userRole ?? 'operator' }
}
