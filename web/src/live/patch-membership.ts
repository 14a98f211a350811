// Writes a change of the signed-in person's memberships into the query cache. Data that the person may no longer read is
// fetched again.
import type { QueryClient } from '@tanstack/react-query'
import { meKey } from '../api/auth'
import type { Schemas } from '../api/client'
import { companyKeys, maySeeMoney, type Company } from '../api/companies'
import { withoutRow, withRow } from '../api/company-detail'
import { notificationsKey } from '../api/notifications'
import { secondFactorKey } from '../api/second-factor-key'
import { subscriptionKeys, type Subscription } from '../api/subscriptions'

/**
 * Writes role and company at once, and fetches the list of companies again: it alone says which companies the person
 * belongs to. Without a role the membership is over; without a company it is the person that changed: name, status,
 * role on the platform or second factors.
 */
export function patchMembership(queries: QueryClient, company: Schemas['CompanyView'] | null): void {
  if (company) patchCompanyOf(queries, company)
  else void queries.invalidateQueries({ queryKey: secondFactorKey })
  void queries.invalidateQueries({ queryKey: companyKeys.list, exact: true })
  void queries.invalidateQueries({ queryKey: meKey })
  // The end of a company takes its notifications away, also where the person wants none of the end itself.
  if (company && !company.userRole) void queries.invalidateQueries({ queryKey: notificationsKey })
}

function patchCompanyOf(queries: QueryClient, { userRole, ...company }: Schemas['CompanyView']): void {
  const before = queries.getQueryData<Company[]>(companyKeys.list)?.find(({ id }) => id === company.id)
  queries.setQueryData<Company[]>(
    companyKeys.list,
    (rows) => rows && (userRole ? withRow(rows, { ...company, userRole }) : withoutRow(rows, company.id)),
  )
  if (!before || !userRole || before.userRole === userRole) return
  if (!maySeeMoney({ userRole })) hideMoney(queries, company.id)
  // Another role may read other payments, methods and open payments.
  void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey.includes(company.id) })
}

/** Of what everybody reads, the open payment and the card: gone at once, however long the server takes to answer. */
function hideMoney(queries: QueryClient, companyId: string): void {
  queries.setQueryData<Subscription | null>(
    subscriptionKeys.current(companyId),
    (known) => known && { ...known, payment: undefined, state: known.state && { ...known.state, card: undefined } },
  )
}
