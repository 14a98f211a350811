// Writes what happened to people into the query cache: members and invites of a company, and the memberships of the
// signed-in person. Every event carries the whole object, so nothing is read again for a row that is known; what the
// person may no longer read is.
import type { QueryClient } from '@tanstack/react-query'
import { meKey } from '../api/auth'
import { companyKeys, type Company, type CompanyDetail, type Invite, type Member } from '../api/companies'
import { withInvite, withMember, withoutInvite, withoutMember } from '../api/company-detail'
import type { EventFrame } from './frames'

/** A detail whose answer is still under way may be older than the event: it is read again. */
function change(queries: QueryClient, companyId: string, next: (held: CompanyDetail) => CompanyDetail): void {
  const queryKey = companyKeys.detail(companyId)
  const underWay = queries.getQueryState(queryKey)?.fetchStatus === 'fetching'
  queries.setQueryData<CompanyDetail>(queryKey, (held) => held && next(held))
  if (underWay) void queries.invalidateQueries({ queryKey, exact: true })
}

export function patchMember(queries: QueryClient, companyId: string, { name, key, data }: EventFrame): void {
  change(queries, companyId, (held) =>
    name === 'member.removed' ? withoutMember(held, key) : withMember(held, data as Member),
  )
}

export function patchInvite(queries: QueryClient, companyId: string, { name, key, data }: EventFrame): void {
  change(queries, companyId, (held) =>
    name === 'invite.removed' ? withoutInvite(held, key) : withInvite(held, data as Invite),
  )
}

/** The company with the person's role in it; without one when the membership is over. */
export type Membership = Omit<Company, 'userRole'> & { userRole?: Company['userRole'] }

/**
 * Role and company are on the screen at once; the list is read again because it alone says who belongs where. Without a
 * company it is the person that changed: name, status or role on the platform.
 */
export function patchMembership(queries: QueryClient, { data }: EventFrame): void {
  if (data !== null) patchCompanyOf(queries, data as Membership)
  void queries.invalidateQueries({ queryKey: companyKeys.list, exact: true })
  void queries.invalidateQueries({ queryKey: meKey })
}

function patchCompanyOf(queries: QueryClient, { userRole, ...company }: Membership): void {
  const before = queries.getQueryData<Company[]>(companyKeys.list)?.find(({ id }) => id === company.id)
  queries.setQueryData<Company[]>(
    companyKeys.list,
    (rows) =>
      rows && (userRole ? withCompany(rows, { ...company, userRole }) : rows.filter(({ id }) => id !== company.id)),
  )
  // What a role may read differs: payments, methods, the subscription's open payment.
  if (before && userRole && before.userRole !== userRole)
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey.includes(company.id) })
}

function withCompany(rows: Company[], company: Company): Company[] {
  return rows.some(({ id }) => id === company.id)
    ? rows.map((row) => (row.id === company.id ? company : row))
    : [...rows, company]
}
