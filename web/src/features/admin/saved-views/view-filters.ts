// What of a list's address belongs to a view: search, filters and order, but neither the page nor what is opened.
import type { ViewedList, ViewFilters } from '../../../api/saved-views'
import type { UrlState } from '../../../ui/url-state'

/** As the server knows them of each list. */
const names: Record<ViewedList, readonly (keyof ViewFilters)[]> = {
  users: ['search', 'role', 'status', 'sort'],
  companies: ['search', 'status', 'plan', 'sort'],
  payments: ['search', 'status', 'method', 'plan', 'from', 'to', 'company', 'sort'],
}

export function filtersOf(url: Pick<UrlState, 'get'>, list: ViewedList): ViewFilters {
  return Object.fromEntries(names[list].map((name) => [name, url.get(name) ?? '']).filter(([, value]) => value))
}

/** The query of the address, with its question mark; empty without filters. */
export function queryOf(filters: ViewFilters, list: ViewedList): string {
  const query = new URLSearchParams()
  for (const name of names[list]) {
    const value = filters[name]
    if (value) query.set(name, value)
  }
  return query.size === 0 ? '' : `?${query}`
}
