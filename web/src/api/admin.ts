// The calls of `/api/admin` and their cache keys; those of payments are in `admin-payments.ts`, those of saved views in
// `saved-views.ts`. Money is decimal reais, rates are percent, null is "not defined".
import { infiniteQueryOptions, keepPreviousData, queryOptions, type QueryFunctionContext } from '@tanstack/react-query'
import { eachOnce } from '../lib/each-once'
import { api, unwrap, unwrapFile, type Schemas } from './client'
import { noteAge } from './data-age'
import { asLoadError } from './errors'
import type { paths } from './schema'

export type AdminPlan = Schemas['AdminPlan']
export type PlanRequest = Schemas['PlanRequest']
export type PlanPage = Schemas['AdminPlans']
export type PlanStatus = Schemas['PlanStatus']

export type Period = '7d' | '30d' | '90d' | '1y'
export type Metric = Schemas['Metric']
export type Metrics = Schemas['DashboardMetrics']
export type MetricName = keyof Metrics
export type MetricReason = Schemas['NoValue']
export type RevenueRow = Schemas['RevenueRow']
export type ChurnRow = Schemas['ChurnRow']
export type UserRow = Schemas['UserRow']
export type Activity = Schemas['Activity']
export type ExportFormat = 'csv' | 'json'

export type AdminRole = Schemas['AdminRole']
export type UserStatus = Schemas['UserStatus']
export type AdminUser = Schemas['AdminUser']
export type AdminUserDetail = Schemas['AdminUserDetail']

export type CompanyStatus = Schemas['CompanyStatus']
export type AdminSubscriptionStatus = Schemas['AdminSubscriptionStatus']
export type AdminCompany = Schemas['AdminCompany']
export type AdminCompanyDetail = Schemas['AdminCompanyDetail']

export type AuditEntry = Schemas['AuditEntry']

export type Installation = Schemas['Installation']
export type InstalledNode = Schemas['NodeView']
export type NodeState = Schemas['NodeState']
export type NodeProblem = Schemas['NodeProblem']
export type BusView = Schemas['BusView']
export type RefusedView = Schemas['RefusedView']
export type DatabaseStatus = Schemas['DatabaseStatus']
export type Standby = Schemas['Standby']

const PAGE = 10

/** A load that fails in an unforeseen way says so in its own words. */
export function load<T>(sent: Parameters<typeof unwrap<T>>[0]): Promise<T> {
  return unwrap(sent).catch((error: unknown) => {
    throw asLoadError(error)
  })
}

/** The same for what a replica may answer; `send` takes the signal of the query. */
export function loadWithDataAge<T>(
  context: QueryFunctionContext,
  send: (signal: AbortSignal) => Parameters<typeof unwrap<T>>[0],
) {
  return load<T>(noteAge(context, send(context.signal)))
}

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
  userLists: ['admin', 'users', 'list'] as const,
  user: (id: string) => ['admin', 'users', 'one', id] as const,
  companies: ['admin', 'companies'] as const,
  companyLists: ['admin', 'companies', 'list'] as const,
  company: (id: string) => ['admin', 'companies', 'one', id] as const,
  payments: ['admin', 'payments'] as const,
  paymentFigures: ['admin', 'payments', 'figures'] as const,
  payment: (id: string) => ['admin', 'payments', 'one', id] as const,
  reviews: ['admin', 'reviews'] as const,
  audit: ['admin', 'audit'] as const,
  nodes: ['admin', 'nodes'] as const,
}

// Plans

export function adminPlansQuery(status: PlanStatus | 'all', limit = PAGE) {
  return infiniteQueryOptions({
    queryKey: [...adminKeys.planLists, status, limit],
    queryFn: ({ pageParam, signal }) =>
      load(api.GET('/api/admin/plans', { params: { query: { status, page: pageParam, limit } }, signal })),
    initialPageParam: 1,
    getNextPageParam: ({ page, total }) => (page * limit < total ? page + 1 : undefined),
  })
}

export function adminPlanQuery(id: string) {
  return queryOptions({
    queryKey: [...adminKeys.plans, 'one', id],
    queryFn: ({ signal }) =>
      load(api.GET('/api/admin/plans/{id}', { params: { path: { id } }, signal })).then(({ plan }) => plan),
  })
}

export function createPlan(body: PlanRequest): Promise<AdminPlan> {
  return unwrap(api.POST('/api/admin/plans', { body })).then(({ plan }) => plan)
}

export function updatePlan(id: string, body: PlanRequest): Promise<AdminPlan> {
  return unwrap(api.PUT('/api/admin/plans/{id}', { params: { path: { id } }, body })).then(({ plan }) => plan)
}

export function setPlanStatus(id: string, status: PlanStatus): Promise<AdminPlan> {
  return unwrap(api.PUT('/api/admin/plans/{id}/status', { params: { path: { id } }, body: { status } })).then(
    ({ plan }) => plan,
  )
}

// Analytics

export function dashboardQuery(period: Period) {
  return queryOptions({
    queryKey: adminKeys.dashboard(period),
    queryFn: (context): Promise<Metrics> =>
      loadWithDataAge(context, (signal) =>
        api.GET('/api/admin/analytics/dashboard', { params: { query: { period } }, signal }),
      ).then(({ metrics }) => metrics),
    placeholderData: keepPreviousData,
  })
}

/** What a row of a series stands for; days only for a period of at most a month. */
type Interval = 'month' | 'day'

export function revenueQuery(period: Period, interval: Interval = 'month') {
  return queryOptions({
    queryKey: [...adminKeys.revenue, period, interval],
    queryFn: (context) =>
      loadWithDataAge(context, (signal) =>
        api.GET('/api/admin/analytics/metrics/revenue', { params: { query: { period, interval } }, signal }),
      ),
    placeholderData: keepPreviousData,
  })
}

export function churnQuery(period: Period) {
  return queryOptions({
    queryKey: [...adminKeys.series, 'churn', period],
    queryFn: (context) =>
      loadWithDataAge(context, (signal) =>
        api.GET('/api/admin/analytics/metrics/churn', { params: { query: { period } }, signal }),
      ),
    placeholderData: keepPreviousData,
  })
}

export function userRowsQuery(period: Period, interval: Interval = 'month') {
  return queryOptions({
    queryKey: [...adminKeys.series, 'mau', period, interval],
    queryFn: (context) =>
      loadWithDataAge(context, (signal) =>
        api.GET('/api/admin/analytics/metrics/mau', { params: { query: { period, interval } }, signal }),
      ),
    placeholderData: keepPreviousData,
  })
}

export function activityQuery(limit: number) {
  return queryOptions({
    queryKey: adminKeys.activity(limit),
    queryFn: (context): Promise<Activity[]> =>
      loadWithDataAge(context, (signal) =>
        api.GET('/api/admin/analytics/activity', { params: { query: { limit } }, signal }),
      ).then(({ activities }) => activities),
    placeholderData: keepPreviousData,
  })
}

/** A file, not the envelope. */
export function exportDashboard(period: Period, format: ExportFormat): Promise<Blob> {
  return unwrapFile(api.GET('/api/admin/analytics/export', { params: { query: { period, format } }, parseAs: 'blob' }))
}

export function acquisitionCostsQuery() {
  return queryOptions({
    queryKey: adminKeys.costs,
    queryFn: ({ signal }) =>
      load(api.GET('/api/admin/analytics/acquisition-costs', { signal })).then(({ costs }) => costs),
  })
}

export async function saveAcquisitionCost(body: Schemas['AcquisitionCost']): Promise<void> {
  await unwrap(api.POST('/api/admin/analytics/acquisition-costs', { body }))
}

// People

export type UserFilter = NonNullable<paths['/api/admin/users']['get']['parameters']['query']>
export type CompanyFilter = NonNullable<paths['/api/admin/companies']['get']['parameters']['query']>

export function usersQuery(filter: UserFilter) {
  return queryOptions({
    queryKey: [...adminKeys.userLists, filter],
    queryFn: (context) =>
      loadWithDataAge(context, (signal) => api.GET('/api/admin/users', { params: { query: filter }, signal })),
    placeholderData: keepPreviousData,
  })
}

export function userQuery(id: string) {
  return queryOptions({
    queryKey: adminKeys.user(id),
    queryFn: ({ signal }) =>
      load(api.GET('/api/admin/users/{id}', { params: { path: { id } }, signal })).then(({ user }) => user),
  })
}

export async function updateUser(id: string, body: Schemas['UserEditRequest']): Promise<void> {
  await unwrap(api.PUT('/api/admin/users/{id}', { params: { path: { id } }, body }))
}

export async function endUserSessions(id: string): Promise<void> {
  await unwrap(api.POST('/api/admin/users/{id}/end-sessions', { params: { path: { id } } }))
}

export async function eraseUser(id: string): Promise<void> {
  await unwrap(api.DELETE('/api/admin/users/{id}', { params: { path: { id } } }))
}

// Companies

export function adminCompaniesQuery(filter: CompanyFilter) {
  return queryOptions({
    queryKey: [...adminKeys.companyLists, filter],
    queryFn: (context) =>
      loadWithDataAge(context, (signal) => api.GET('/api/admin/companies', { params: { query: filter }, signal })),
    placeholderData: keepPreviousData,
  })
}

export function adminCompanyQuery(id: string) {
  return queryOptions({
    queryKey: adminKeys.company(id),
    queryFn: ({ signal }) =>
      load(api.GET('/api/admin/companies/{id}', { params: { path: { id } }, signal })).then(({ company }) => company),
  })
}

export async function updateAdminCompany(id: string, body: Schemas['CompanyEditRequest']): Promise<void> {
  await unwrap(api.PUT('/api/admin/companies/{id}', { params: { path: { id } }, body }))
}

// Audit

export interface AuditFilter {
  /** The person who did it. */
  actor?: string
  company?: string
  /** The person to whom it was done. */
  target?: string
}

export function auditQuery(about: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: [...adminKeys.audit, about],
    queryFn: ({ pageParam, signal }) =>
      load(api.GET('/api/admin/audit', { params: { query: { ...about, page: pageParam, limit: PAGE } }, signal })),
    initialPageParam: 1,
    getNextPageParam: ({ page, total }) => (page * PAGE < total ? page + 1 : undefined),
    select: ({ pages }) => eachOnce(pages.flatMap(({ entries }) => entries)),
  })
}

// Nodes

/** The server answers from memory: any number of pages may ask often. */
export function nodesQuery() {
  return queryOptions({
    queryKey: adminKeys.nodes,
    queryFn: ({ signal }) => load(api.GET('/api/admin/nodes', { signal })),
  })
}
