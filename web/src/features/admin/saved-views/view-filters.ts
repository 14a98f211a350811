// What of a list's address belongs to a view: search, filters and order, but neither the page nor what is opened.
import type { CompanyFilter, UserFilter } from '../../../api/admin'
import type { AdminPaymentFilter } from '../../../api/admin-payments'
import type { ViewedList, ViewFilters } from '../../../api/saved-views'
import type { UrlState } from '../../../ui/url-state'

/** Every filter of a list, so that a new one is saved, too. */
type FiltersOf<Query> = Record<Exclude<keyof Query, 'page' | 'limit'>, true>

/** As the server knows them of each list. */
const filters = {
  users: { search: true, role: true, status: true, sort: true } satisfies FiltersOf<UserFilter>,
  companies: { search: true, status: true, plan: true, sort: true } satisfies FiltersOf<CompanyFilter>,
  payments: {
    search: true,
    status: true,
    method: true,
    plan: true,
    from: true,
    to: true,
    company: true,
    sort: true,
  } satisfies FiltersOf<AdminPaymentFilter & { sort: string }>,
}

const namesOf = (list: ViewedList) => Object.keys(filters[list]) as (keyof ViewFilters)[]

export function filtersOf(url: Pick<UrlState, 'get'>, list: ViewedList): ViewFilters {
  return Object.fromEntries(
    namesOf(list)
      .map((name) => [name, url.get(name) ?? ''])
      .filter(([, value]) => value),
  )
}

/** The query of the address, with its question mark; empty without filters. */
export function queryOf(filters: ViewFilters, list: ViewedList): string {
  const query = new URLSearchParams()
  for (const name of namesOf(list)) {
    const value = filters[name]
    if (value) query.set(name, value)
  }
  return query.size === 0 ? '' : `?${query}`
}
