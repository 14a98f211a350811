// The calls of `/api/admin` and their cache keys. Money is decimal reais, rates are percent, null is "not defined".
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, open } from './client'
import type { components } from './schema'

type Schemas = components['schemas']

export type AdminPlan = Schemas['AdminPlan']
export type PlanRequest = Schemas['PlanRequest']
export type PlanPage = Schemas['AdminPlans']
export type PlanStatus = Schemas['PlanStatus']

// The shapes of the contract, written by hand for the calls that the generated schema does not name yet.
const rest = api as unknown as Record<'GET' | 'POST' | 'PUT' | 'DELETE', (path: string, init?: object) => Promise<{ data?: { success: boolean; data: unknown }; response: Response }>>
export type Period = '7d' | '30d' | '90d' | '1y'
export type MetricReason = 'NO_PAYING_COMPANIES' | 'NOBODY_LEFT' | 'NO_NEW_COMPANIES'
export interface Metric { value: number | null; change: number | null; changeType: 'increase' | 'decrease'; period: string; reason?: MetricReason }
export type MetricName = 'totalUsers' | 'totalCompanies' | 'totalSubscriptions' | 'mrr' | 'arr' | 'churn' | 'mau' | 'ltv' | 'cac'
export type Metrics = Record<MetricName, Metric>
export interface RevenueRow { month: string; mrr: number; newRevenue: number; churnedRevenue: number }
export interface ChurnRow { month: string; churnRate?: number | null; canceledSubscriptions: number; totalSubscriptions: number }
export interface UserRow { month: string; mau: number; newUsers: number; activeUsers: number }
export type MonthRow = { month: string }
export interface Activity { id: string; type: 'subscription' | 'user' | 'payment' | 'cancellation'; status: 'success' | 'warning' | 'error' | 'info'; message: string; timestamp: string }
export interface AcquisitionCost { month: string; amount: number }
export type ExportFormat = 'csv' | 'json'
export type AdminRole = 'admin' | 'company_admin' | 'user'
export type UserStatus = 'active' | 'inactive' | 'pending'
export type CompanyStatus = 'active' | 'inactive' | 'suspended'
export type AdminSubscriptionStatus = 'active' | 'cancelled' | 'expired' | 'pending'
export interface AdminUser { id: string; name: string; email: string; phone: string; role: AdminRole; status: UserStatus; company?: { id: string; name: string } | null; lastLogin?: string | null; createdAt: string }
export interface UserPage { users: AdminUser[]; total: number; page: number; summary: { total: number; active: number; admins: number; pending: number } }
export type AdminUserDetail = Schemas['UserView'] & { role: AdminRole; lastLogin?: string | null; sessions: number; companies: { id: string; name: string; role: Schemas['Role'] }[]; consents: { kind: string; version: string; acceptedAt: string }[] }
export interface UserEdit { userName?: string; userPhone?: string; role?: 'admin' | 'user'; status?: UserStatus }
export interface AdminCompany { id: string; name: string; email: string; description?: string | null; status: CompanyStatus; subscription?: { planId: string; plan: string; status: AdminSubscriptionStatus; mrr: number } | null; users: { total: number; active: number; admins: number }; metrics: { orders?: number | null; revenue: number; growth?: number | null }; createdAt: string }
export interface CompanyPage { companies: AdminCompany[]; total: number; page: number; summary: { total: number; active: number; suspended: number; mrr: number } }
export type AdminCompanyDetail = AdminCompany & { createdBy: string; statusReason?: string | null; members: Schemas['MemberView'][]; payments: { id: string; amount: number; method: 'PIX' | 'BANK_SLIP'; status: 'SUCCESS' | 'PENDING' | 'PROCESSING'; plan: string; createdAt: string }[]; months: { month: string; mrr: number; revenue: number }[] }
export interface CompanyEdit { name?: string; description?: string; status?: CompanyStatus; reason?: string }
export interface AuditEntry { id: string; at: string; actorName?: string | null; action: string; target?: string | null; outcome: string; fields: string[] }
export interface AuditPage { entries: AuditEntry[]; total: number; page: number }

const PAGE = 10

export const adminKeys = {
  all: ['admin'] as const,
  dashboards: ['admin', 'dashboard'] as const,
  dashboard: (period: Period) => ['admin', 'dashboard', period] as const,
  activities: ['admin', 'activity'] as const,
  /** Ends with how many entries it has room for. */
  activity: (limit: number) => ['admin', 'activity', limit] as const,
  series: ['admin', 'series'] as const,
  /** MRR by month, alone or with what came and went. */
  revenue: ['admin', 'series', 'revenue'] as const,
  costs: ['admin', 'costs'] as const,
  plans: ['admin', 'plans'] as const,
  planLists: ['admin', 'plans', 'list'] as const,
  users: ['admin', 'users'] as const,
  user: (id: string) => ['admin', 'users', 'one', id] as const,
  companies: ['admin', 'companies'] as const,
  company: (id: string) => ['admin', 'companies', 'one', id] as const,
  audit: ['admin', 'audit'] as const,
}

// Plans

export function plansQuery(status: PlanStatus | 'all', limit = PAGE) {
  return infiniteQueryOptions({
    queryKey: [...adminKeys.planLists, status, limit],
    queryFn: ({ pageParam, signal }) => open(api.GET('/api/admin/plans', { params: { query: { status, page: pageParam, limit } }, signal })),
    initialPageParam: 1,
    getNextPageParam: ({ page, total }) => (page * limit < total ? page + 1 : undefined),
  })
}

export function planQuery(id: string) {
  return queryOptions({
    queryKey: [...adminKeys.plans, 'one', id],
    queryFn: ({ signal }) => open(api.GET('/api/admin/plans/{id}', { params: { path: { id } }, signal })).then(({ plan }) => plan),
  })
}

export function createPlan(body: PlanRequest): Promise<AdminPlan> {
  return open(api.POST('/api/admin/plans', { body })).then(({ plan }) => plan)
}

export function updatePlan(id: string, body: PlanRequest): Promise<AdminPlan> {
  return open(api.PUT('/api/admin/plans/{id}', { params: { path: { id } }, body })).then(({ plan }) => plan)
}

export function setPlanStatus(id: string, status: PlanStatus): Promise<AdminPlan> {
  return open(api.PUT('/api/admin/plans/{id}/status', { params: { path: { id } }, body: { status } })).then(({ plan }) => plan)
}

// Analytics

export function dashboardQuery(period: Period) {
  return queryOptions({
    queryKey: adminKeys.dashboard(period),
    queryFn: ({ signal }): Promise<Metrics> => open(rest.GET('/api/admin/analytics/dashboard', { params: { query: { period } }, signal })).then((data) => (data as { metrics: Metrics }).metrics),
    placeholderData: keepPreviousData,
  })
}

export function revenueQuery(period: Period) {
  return queryOptions({
    queryKey: [...adminKeys.revenue, period],
    queryFn: ({ signal }): Promise<{ rows: RevenueRow[] }> => open(rest.GET('/api/admin/analytics/metrics/revenue', { params: { query: { period } }, signal })) as never,
    placeholderData: keepPreviousData,
  })
}

export function churnQuery(period: Period) {
  return queryOptions({
    queryKey: [...adminKeys.series, 'churn', period],
    queryFn: ({ signal }): Promise<{ rows: ChurnRow[] }> => open(rest.GET('/api/admin/analytics/metrics/churn', { params: { query: { period } }, signal })) as never,
    placeholderData: keepPreviousData,
  })
}

export function usersByMonthQuery(period: Period) {
  return queryOptions({
    queryKey: [...adminKeys.series, 'mau', period],
    queryFn: ({ signal }): Promise<{ rows: UserRow[] }> => open(rest.GET('/api/admin/analytics/metrics/mau', { params: { query: { period } }, signal })) as never,
    placeholderData: keepPreviousData,
  })
}

export function activityQuery(limit: number) {
  return queryOptions({
    queryKey: adminKeys.activity(limit),
    queryFn: ({ signal }): Promise<Activity[]> => open(rest.GET('/api/admin/analytics/activity', { params: { query: { limit } }, signal })).then((data) => (data as { activities: Activity[] }).activities),
    placeholderData: keepPreviousData,
  })
}

/** A file, not the envelope. */
export async function exportDashboard(period: Period, format: ExportFormat): Promise<Blob> {
  const { data } = await rest.GET('/api/admin/analytics/export', { params: { query: { period, format } }, parseAs: 'blob' })
  return data as unknown as Blob
}

export function acquisitionCostsQuery() {
  return queryOptions({
    queryKey: adminKeys.costs,
    queryFn: ({ signal }): Promise<AcquisitionCost[]> => open(rest.GET('/api/admin/analytics/acquisition-costs', { signal })).then((data) => (data as { costs: AcquisitionCost[] }).costs),
  })
}

export async function saveAcquisitionCost(body: AcquisitionCost): Promise<void> {
  await open(rest.POST('/api/admin/analytics/acquisition-costs', { body }))
}

// People

export interface ListFilter {
  search: string
  sort: string
  page: number
  limit: number
}

/** Empty and absent values are left out of the address. */
function filled<T extends object>(query: T): Partial<T> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '' && value !== undefined)) as Partial<T>
}

export function usersQuery(filter: ListFilter & { role?: AdminRole | undefined; status?: UserStatus | undefined }) {
  return queryOptions({
    queryKey: [...adminKeys.users, 'list', filter],
    queryFn: ({ signal }): Promise<UserPage> => open(rest.GET('/api/admin/users', { params: { query: filled(filter) }, signal })) as never,
    placeholderData: keepPreviousData,
  })
}

export function userQuery(id: string) {
  return queryOptions({
    queryKey: adminKeys.user(id),
    queryFn: ({ signal }): Promise<AdminUserDetail> => open(rest.GET('/api/admin/users/{id}', { params: { path: { id } }, signal })).then((data) => (data as { user: AdminUserDetail }).user),
  })
}

export async function updateUser(id: string, body: UserEdit): Promise<void> {
  await open(rest.PUT('/api/admin/users/{id}', { params: { path: { id } }, body }))
}

export async function endUserSessions(id: string): Promise<void> {
  await open(rest.POST('/api/admin/users/{id}/end-sessions', { params: { path: { id } } }))
}

export async function anonymiseUser(id: string): Promise<void> {
  await open(rest.DELETE('/api/admin/users/{id}', { params: { path: { id } } }))
}

// Companies

export function adminCompaniesQuery(filter: ListFilter & { status?: CompanyStatus | undefined; plan?: string | undefined }) {
  return queryOptions({
    queryKey: [...adminKeys.companies, 'list', filter],
    queryFn: ({ signal }): Promise<CompanyPage> => open(rest.GET('/api/admin/companies', { params: { query: filled(filter) }, signal })) as never,
    placeholderData: keepPreviousData,
  })
}

export function adminCompanyQuery(id: string) {
  return queryOptions({
    queryKey: adminKeys.company(id),
    queryFn: ({ signal }): Promise<AdminCompanyDetail> => open(rest.GET('/api/admin/companies/{id}', { params: { path: { id } }, signal })).then((data) => (data as { company: AdminCompanyDetail }).company),
  })
}

export async function updateCompany(id: string, body: CompanyEdit): Promise<void> {
  await open(rest.PUT('/api/admin/companies/{id}', { params: { path: { id } }, body }))
}

// Audit

export interface AuditAbout {
  actor?: string
  company?: string
}

export function auditQuery(about: AuditAbout) {
  return infiniteQueryOptions({
    queryKey: [...adminKeys.audit, about],
    queryFn: ({ pageParam, signal }): Promise<AuditPage> => open(rest.GET('/api/admin/audit', { params: { query: { ...about, page: pageParam, limit: PAGE } }, signal })) as never,
    initialPageParam: 1,
    getNextPageParam: ({ page, total }) => (page * PAGE < total ? page + 1 : undefined),
  })
}
