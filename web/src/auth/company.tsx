// The selected company of this tab. After loading, the first one is selected when none is or when the
// selected one is gone; a change in another tab never switches this one.
import { createContext, use, useCallback, useMemo, useState, type ReactNode } from 'react'
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { companiesQuery, type Company } from '../api/companies'
import { announce } from '../ui/announcer'
import { session } from './use-session'

export interface CompanyChoice {
  /** The list call, for its loading and error states. */
  query: UseQueryResult<Company[]>
  companies: Company[]
  /** Undefined while loading and when the person belongs to no company. */
  company: Company | undefined
  select: (company: Company) => void
}

const CompanyContext = createContext<CompanyChoice | null>(null)

export function CompanyProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient()
  const query = useQuery(companiesQuery())
  const [chosen, setChosen] = useState(() => session.companyId())
  const companies = query.data ?? noCompanies
  const company = companies.find(({ id }) => id === chosen) ?? companies[0]

  const select = useCallback(
    (next: Company) => {
      const previous = session.companyId()
      session.chooseCompany(next.id)
      setChosen(next.id)
      if (previous !== null && previous !== next.id) forgetCompany(queries, previous)
      announce(`Empresa atual: ${next.companyName}`)
    },
    [queries],
  )

  const value = useMemo(() => ({ query, companies, company, select }), [query, companies, company, select])
  return <CompanyContext value={value}>{children}</CompanyContext>
}

const noCompanies: Company[] = []

/** Cancels and drops whatever is keyed by the company that was left: details, subscription, history, methods. */
function forgetCompany(queries: ReturnType<typeof useQueryClient>, companyId: string): void {
  const filter = { predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey.includes(companyId) }
  void queries.cancelQueries(filter).then(() => queries.removeQueries({ ...filter, type: 'inactive' }))
}

export function useCompany(): CompanyChoice {
  const choice = use(CompanyContext)
  if (choice === null) throw new Error('useCompany needs the CompanyProvider')
  return choice
}
