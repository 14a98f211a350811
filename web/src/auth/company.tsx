// The selected company of this tab. After loading, the first one is selected when none is or when the
// selected one is gone; a change in another tab never switches this one. Invariant: what was read of a company that
// the person left, or lost, is dropped from the cache.
import {
  createContext,
  use,
  useCallback,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react'
import { useQuery, useQueryClient, type QueryClient, type UseQueryResult } from '@tanstack/react-query'
import { companiesQuery, companyKeys, type Company } from '../api/companies'
import { write } from '../api/newest'
import { announce } from '../ui/announcer'
import { session } from './use-session'

export interface CompanyChoice {
  /** The list call, for its loading and error states. */
  query: UseQueryResult<Company[]>
  companies: Company[]
  /** Undefined while loading and when the person belongs to no company. */
  company: Company | undefined
  select: (company: Company) => void
  /** Runs the command by which the person gives a company up; losing it then is no news. */
  giveUp: (companyId: string, command: () => Promise<unknown>) => Promise<void>
}

const CompanyContext = createContext<CompanyChoice | null>(null)

interface CompanyProviderProps {
  /** A company was taken from the person; `selected` when it was this tab's. */
  onLost: (company: Company, selected: boolean) => void
  children: ReactNode
}

export function CompanyProvider({ onLost, children }: CompanyProviderProps) {
  const queries = useQueryClient()
  const query = useQuery(companiesQuery())
  const [chosen, setChosen] = useState(() => session.companyId())
  const givenUp = useRef(new Set<string>())
  const companies = query.data ?? noCompanies
  const company = companies.find(({ id }) => id === chosen) ?? companies[0]

  const select = useCallback(
    (next: Company) => {
      const previous = session.companyId()
      session.chooseCompany(next.id)
      setChosen(next.id)
      if (previous !== null && previous !== next.id) forgetCompany(queries, previous)
      announce(`Empresa atual: ${next.companyName}`, 'company')
    },
    [queries],
  )

  const giveUp = useCallback(
    async (companyId: string, command: () => Promise<unknown>) => {
      givenUp.current.add(companyId)
      try {
        await command()
        write<Company[]>(queries, companyKeys.list, (rows) => rows?.filter(({ id }) => id !== companyId))
      } catch (error) {
        givenUp.current.delete(companyId)
        throw error
      }
    },
    [queries],
  )

  const current = company?.id ?? null
  if (query.data && chosen !== current) setChosen(current)
  useEffect(() => {
    if (query.data && session.companyId() !== current) session.chooseCompany(current)
  }, [query.data, current])

  useLosses(query.data, company, (lost, selected) => {
    forgetCompany(queries, lost.id)
    if (!givenUp.current.delete(lost.id)) onLost(lost, selected)
  })

  const value = useMemo(
    () => ({ query, companies, company, select, giveUp }),
    [query, companies, company, select, giveUp],
  )
  return <CompanyContext value={value}>{children}</CompanyContext>
}

const noCompanies: Company[] = []

/** Tells, once, of each company that was listed and no longer is. */
function useLosses(
  listed: Company[] | undefined,
  selected: Company | undefined,
  onLoss: (company: Company, selected: boolean) => void,
): void {
  const before = useRef<{ listed: Company[]; selected?: Company | undefined }>({ listed: noCompanies })
  const report = useEffectEvent(onLoss)
  useEffect(() => {
    if (listed === undefined) return
    const previous = before.current
    before.current = { listed, selected }
    for (const company of previous.listed) {
      if (!listed.some(({ id }) => id === company.id)) report(company, company.id === previous.selected?.id)
    }
  }, [listed, selected])
}

/** Cancels and drops whatever is keyed by the company that was left: details, subscription, history, methods. */
function forgetCompany(queries: QueryClient, companyId: string): void {
  const filter = { predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey.includes(companyId) }
  void queries.cancelQueries(filter).then(() => queries.removeQueries({ ...filter, type: 'inactive' }))
}

export function useCompany(): CompanyChoice {
  const choice = use(CompanyContext)
  if (choice === null) throw new Error('useCompany needs the CompanyProvider')
  return choice
}
