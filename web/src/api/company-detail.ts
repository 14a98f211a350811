// A company's detail with one person or invite changed: what a call answered, what an event brought. Pure apart from
// `changeDetail`, which writes it to the cache; the counters are counted as the server counts them.
import type { QueryClient } from '@tanstack/react-query'
import { companyKeys, type CompanyDetail, type Invite, type Member } from './companies'
import { write } from './newest'

/** Changes the company's detail in the cache. Does nothing if the detail was never loaded. */
export function changeDetail(
  queries: QueryClient,
  companyId: string,
  change: (detail: CompanyDetail) => CompanyDetail,
): void {
  write<CompanyDetail>(queries, companyKeys.detail(companyId), (detail) => detail && change(detail))
}

/** Replaces the row of the same id, or appends it. */
export function withRow<T extends { id: string }>(rows: readonly T[], row: T): T[] {
  return rows.some(({ id }) => id === row.id)
    ? rows.map((known) => (known.id === row.id ? row : known))
    : [...rows, row]
}

export function withoutRow<T extends { id: string }>(rows: readonly T[], id: string | undefined): T[] {
  return rows.filter((row) => row.id !== id)
}

function withUsers(detail: CompanyDetail, users: Member[]): CompanyDetail {
  const count = (wanted: (member: Member) => boolean) => users.filter(wanted).length
  const stats = {
    total: users.length,
    active: count(({ status }) => status === 'active'),
    admins: count(({ role }) => role === 'admin'),
    operators: count(({ role }) => role === 'operator'),
    finance: count(({ role }) => role === 'finance'),
  }
  return { ...detail, users, stats }
}

export function withMember(detail: CompanyDetail, member: Member): CompanyDetail {
  return withUsers(detail, withRow(detail.users, member))
}

export function withoutMember(detail: CompanyDetail, memberId: string | undefined): CompanyDetail {
  return withUsers(detail, withoutRow(detail.users, memberId))
}

/** For an optimistic change: a member who left meanwhile does not come back. */
export function withMemberIfListed(detail: CompanyDetail, member: Member): CompanyDetail {
  return detail.users.some(({ id }) => id === member.id) ? withMember(detail, member) : detail
}

export function withInvite(detail: CompanyDetail, invite: Invite): CompanyDetail {
  return { ...detail, invites: withRow(detail.invites, invite) }
}

export function withoutInvite(detail: CompanyDetail, inviteId: string | undefined): CompanyDetail {
  return { ...detail, invites: withoutRow(detail.invites, inviteId) }
}
