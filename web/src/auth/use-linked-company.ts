// Mails link to a company by `?companyId={id}`. The hook selects that company and removes the parameter. If the person
// is no member of the company, a toast says so, and `pay` and `method` are removed too: they are about that company.
import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { notifyWarning } from '../ui/toast'
import { withChange } from '../ui/url-state'
import { useCompany } from './company'

/** `selecting`: the page still shows another company than the one that the link names. */
export function useLinkedCompany(): { selecting: boolean } {
  const { query, companies, company, select } = useCompany()
  const [search, setSearch] = useSearchParams()
  const named = search.get('companyId')
  const known = companies.find(({ id }) => id === named)
  useEffect(() => {
    if (named === null || query.data === undefined) return
    if (known && known.id !== company?.id) return select(known)
    const gone = { companyId: '', ...(!known && { pay: '', method: '' }) }
    setSearch((before) => withChange(before, gone), { replace: true, preventScrollReset: true })
    if (!known) notifyWarning('Você não tem acesso à empresa deste link', { id: 'linked company' })
  }, [named, known, query.data, company?.id, select, setSearch])
  return { selecting: named !== null }
}
