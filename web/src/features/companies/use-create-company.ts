// Creates a company once, also where the answer is lost: the call has no key, so the person's companies tell what became
// of it.
import { useRef } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { companiesQuery, companyKeys, createCompany, type Company, type CompanyForm } from '../../api/companies'
import { ApiError } from '../../api/errors'
import { useUser } from '../../auth/use-session'

export function useCreateCompany(): (form: CompanyForm) => Promise<Company> {
  const queries = useQueryClient()
  const { id } = useUser()
  /** The companies before the first call whose answer was lost. */
  const before = useRef<Company[]>(undefined)

  const madeSince = async (earlier: Company[], { companyName }: CompanyForm) => {
    const companies = await queries.fetchQuery({ ...companiesQuery(), staleTime: 0 })
    const made = companies.filter((company) => company.companyCreatedBy === id && company.companyName === companyName)
    return made.find((company) => !earlier.some((known) => known.id === company.id))
  }

  return async (form) => {
    const made = before.current && (await madeSince(before.current, form))
    if (made) return made
    const known = queries.getQueryData<Company[]>(companyKeys.list)
    try {
      return await createCompany(form)
    } catch (error) {
      if (!known || !(error instanceof ApiError && error.isUncertain)) throw error
      before.current ??= known
      const late = await madeSince(before.current, form).catch(() => undefined)
      if (!late) throw error
      return late
    }
  }
}
