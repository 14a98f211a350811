// The calls of `/api/companies` and their cache keys.
import { queryOptions } from '@tanstack/react-query'
import type { CompanyRole } from '../lib/labels'
import { call } from './client'

export interface Company {
  id: string
  companyName: string
  companyDescription?: string
  userRole: CompanyRole
  companyCreatedBy: string
  status: 'active' | 'inactive' | 'suspended'
  createdAt: string
}

export interface Member {
  id: string
  userId: string
  userName: string
  userEmail: string
  role: CompanyRole
  status: 'active' | 'inactive'
  isCreator: boolean
}

export interface Invite {
  id: string
  userEmail: string
  role: CompanyRole
  expiresAt: string
}

export interface CompanyDetail extends Company {
  users: Member[]
  invites: Invite[]
  stats: { total: number; active: number; admins: number; operators: number }
}

export interface CompanyForm {
  companyName: string
  companyDescription?: string | undefined
}

export const companyKeys = {
  list: ['companies'] as const,
  detail: (companyId: string) => ['companies', companyId] as const,
}

export function companiesQuery() {
  return queryOptions({
    queryKey: companyKeys.list,
    queryFn: ({ signal }) => call<{ companies: Company[] }>('GET', '/api/companies', { signal }).then(({ companies }) => companies),
  })
}

export function companyQuery(companyId: string) {
  return queryOptions({
    queryKey: companyKeys.detail(companyId),
    queryFn: ({ signal }) => call<{ company: CompanyDetail }>('GET', `/api/companies/${companyId}`, { signal }).then(({ company }) => company),
  })
}

/** The detail again: the edit's answer fills the same cache entry. */
export function updateCompany(companyId: string, body: CompanyForm): Promise<CompanyDetail> {
  return call<{ company: CompanyDetail }>('PUT', `/api/companies/${companyId}`, { body }).then(({ company }) => company)
}

export function createCompany(body: CompanyForm): Promise<Company> {
  return call<{ company: Company }>('POST', '/api/companies', { body }).then(({ company }) => company)
}
