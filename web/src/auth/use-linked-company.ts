// The way in from a mail: `?companyId={id}` selects the company and leaves the address at once.
import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { withChange } from '../ui/url-state'
import { useCompany } from './company'

/** Selects the company that the link names, when the person belongs to it; until then the page is another one's. */
export function useLinkedCompany(): { selecting: boolean } {
  const { companies, company, select } = useCompany()
  const [search, setSearch] = useSearchParams()
  const named = search.get('companyId')
  const known = companies.find(({ id }) => id === named)
  useEffect(() => {
    if (named === null || companies.length === 0) return
    if (known && known.id !== company?.id) select(known)
    else setSearch((before) => withChange(before, { companyId: '' }), { replace: true, preventScrollReset: true })
  }, [named, known, companies.length, company?.id, select, setSearch])
  return { selecting: named !== null }
}
