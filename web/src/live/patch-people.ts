// Writes events about people into the query cache: members and invites of a company, and the memberships of the
// signed-in person. An event carries the whole object, so a known row is replaced without a call. Data that the person
// may no longer read is fetched again.
import type { QueryClient } from '@tanstack/react-query'
import { meKey } from '../api/auth'
import { companyKeys, type Company, type Invite, type Member } from '../api/companies'
import {
  changeDetail,
  withInvite,
  withMember,
  withoutInvite,
  withoutMember,
  withoutRow,
  withRow,
} from '../api/company-detail'
import { notificationsKey } from '../api/notifications'
import type { EventFrame } from './frames'

export function patchMember(queries: QueryClient, companyId: string, { name, key, data }: EventFrame): void {
  changeDetail(queries, companyId, (cached) =>
    name === 'member.removed' ? withoutMember(cached, key) : withMember(cached, data as Member),
  )
}

export function patchInvite(queries: QueryClient, companyId: string, { name, key, data }: EventFrame): void {
  changeDetail(queries, companyId, (cached) =>
    name === 'invite.removed' ? withoutInvite(cached, key) : withInvite(cached, data as Invite),
  )
}

/** The company with the person's role in it; without one when the membership is over. */
export type Membership = Omit<Company, 'userRole'> & { userRole?: Company['userRole'] }

/**
 * Writes role and company at once, and fetches the list of companies again: it alone says which companies the person
 * belongs to. An event without a company is about the person: name, status or role on the platform.
 */
export function patchMembership(queries: QueryClient, { data }: EventFrame): void {
  if (data !== null) patchCompanyOf(queries, data as Membership)
  void queries.invalidateQueries({ queryKey: companyKeys.list, exact: true })
  void queries.invalidateQueries({ queryKey: meKey })
  // The end of a company takes its notifications away, also where the person wants none of the end itself.
  if (data !== null && !(data as Membership).userRole) void queries.invalidateQueries({ queryKey: notificationsKey })
}

function patchCompanyOf(queries: QueryClient, { userRole, ...company }: Membership): void {
  const before = queries.getQueryData<Company[]>(companyKeys.list)?.find(({ id }) => id === company.id)
  queries.setQueryData<Company[]>(
    companyKeys.list,
    (rows) => rows && (userRole ? withRow(rows, { ...company, userRole }) : withoutRow(rows, company.id)),
  )
  // Another role may read other payments, methods and open payments.
  if (before && userRole && before.userRole !== userRole)
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey.includes(company.id) })
}
