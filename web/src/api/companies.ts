// The calls of `/api/companies` and their cache keys.
import { queryOptions } from '@tanstack/react-query'
import { byName } from '../lib/names'
import { api, unwrap, type Schemas } from './client'
import { ApiError } from './errors'

/** A company as its own member reads it. */
export type Company = Schemas['CompanyView'] & { userRole: Schemas['Role'] }
export type CompanyDetail = Schemas['CompanyDetail'] & { userRole: Schemas['Role'] }
export type Member = Schemas['MemberView']
export type Invite = Schemas['InviteView']
export type InvitePreview = Schemas['InvitePreview']
export type Role = Schemas['Role']
/** Every field has a value: a call that leaves one out erases it. */
export type CompanyForm = Required<Schemas['CompanyRequest']>

/** What the platform suspended or closed can be read and left; the server refuses every change. */
export function isOpen({ status }: Pick<Company, 'status'>): boolean {
  return status === 'active'
}

/** Who may change and pay the company's subscription: no operator, and nobody while the company is not open. */
export function mayManage(company: Pick<Company, 'userRole' | 'status'>): boolean {
  return company.userRole !== 'operator' && isOpen(company)
}

/** Who may see what the company pays: everybody but operators. */
export function maySeeMoney({ userRole }: Pick<Company, 'userRole'>): boolean {
  return userRole !== 'operator'
}

export const companyKeys = {
  list: ['companies'] as const,
  detail: (companyId: string) => ['companies', companyId] as const,
  billingProfile: (companyId: string) => ['companies', companyId, 'billing-profile'] as const,
}

/** The server orders by its database's alphabet, where "Águia" stands behind "Zebra". */
const inOrder = (companies: Company[]) =>
  companies.toSorted((left, right) => byName(left.companyName, right.companyName))

export function companiesQuery() {
  return queryOptions({
    queryKey: companyKeys.list,
    select: inOrder,
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/companies', { signal })).then(({ companies }) => companies.map(withRole)),
  })
}

export function companyQuery(companyId: string) {
  return queryOptions({
    queryKey: companyKeys.detail(companyId),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/companies/{id}', { params: { path: { id: companyId } }, signal })).then(({ company }) =>
        withRole(company),
      ),
  })
}

export function createCompany(body: CompanyForm): Promise<Company> {
  return unwrap(api.POST('/api/companies', { body })).then(({ company }) => withRole(company))
}

export function updateCompany(companyId: string, body: CompanyForm): Promise<CompanyDetail> {
  return unwrap(api.PUT('/api/companies/{id}', { params: { path: { id: companyId } }, body })).then(({ company }) =>
    withRole(company),
  )
}

export async function deleteCompany(companyId: string): Promise<void> {
  await unwrap(api.DELETE('/api/companies/{id}', { params: of(companyId) }))
}

/** Either a member, when the address has a verified account, or an invite by mail. */
type Invited = { user: Member; invite?: undefined } | { user?: undefined; invite: Invite }

export function inviteUser(companyId: string, body: Schemas['InviteRequest']): Promise<Invited> {
  return unwrap(api.POST('/api/companies/{id}/invite', { params: of(companyId), body })).then(({ user, invite }) => {
    if (user) return { user }
    if (invite) return { invite }
    throw new ApiError('PARSE_ERROR')
  })
}

export async function cancelInvite(companyId: string, inviteId: string): Promise<void> {
  await unwrap(api.DELETE('/api/companies/{id}/invites/{inviteId}', { params: { path: { id: companyId, inviteId } } }))
}

export async function resendInvite(companyId: string, inviteId: string): Promise<void> {
  await unwrap(
    api.POST('/api/companies/{id}/invites/{inviteId}/resend', { params: { path: { id: companyId, inviteId } } }),
  )
}

export function changeRole(companyId: string, userId: string, role: Role): Promise<Member> {
  return unwrap(api.PUT('/api/companies/{id}/users/role', { params: of(companyId), body: { userId, role } })).then(
    ({ user }) => user,
  )
}

/** Oneself: leaving the company. */
export async function removeMember(companyId: string, userId: string): Promise<void> {
  await unwrap(api.DELETE('/api/companies/{id}/users/{userId}', { params: { path: { id: companyId, userId } } }))
}

/** Takes every factor of a member away who has lost them; the password stays. */
export async function resetSecondFactor(companyId: string, userId: string): Promise<void> {
  await unwrap(
    api.POST('/api/companies/{id}/users/{userId}/reset-second-factor', { params: { path: { id: companyId, userId } } }),
  )
}

/** What the holder of the token may know of the invitation. */
export function invitePreviewQuery(token: string) {
  return queryOptions({
    queryKey: ['invite-preview', token],
    queryFn: ({ signal }) => unwrap(api.POST('/api/companies/invite-preview', { body: { token }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: hasFailedUncertainly,
    refetchOnReconnect: hasFailedUncertainly,
  })
}

/** A token that is not good costs its network one of few tries: no verdict is asked for again by itself. */
function hasFailedUncertainly({ state: { error } }: { state: { error: Error | null } }): boolean {
  return error instanceof ApiError && error.isUncertain
}

export function acceptInvite(token: string): Promise<Company> {
  return unwrap(api.POST('/api/companies/accept-invite', { body: { token } })).then(({ company }) => withRole(company))
}

function of(companyId: string) {
  return { path: { id: companyId } }
}

/** The role is absent only where one object goes to several people. Without a role the least is allowed. */
function withRole<T extends Schemas['CompanyView']>(company: T): T & { userRole: Schemas['Role'] } {
  return { ...company, userRole: company.userRole ?? 'operator' }
}
