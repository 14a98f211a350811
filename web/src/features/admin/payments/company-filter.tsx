// The one company whose payments are shown, by its name, and the way back to those of all. Links set this filter: no
// list of companies is offered.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { adminCompanyQuery } from '../../../api/admin'
import type { adminPaymentsQuery } from '../../../api/admin-payments'
import { FilterSelect } from '../../../ui/filter-select'
import { focusPage } from '../../../ui/focus-heading'

interface CompanyFilterProps {
  company: string
  /** The payments that are shown, which know the name. */
  list: ReturnType<typeof adminPaymentsQuery>
  onChange: (next: { company: string }) => void
}

export function CompanyFilter({ company, list, onChange }: CompanyFilterProps) {
  const { data } = useInfiniteQuery(list)
  const first = data?.pages[0]?.payments[0]
  const listed = first?.companyId === company ? first.companyName : undefined
  const read = useQuery({ ...adminCompanyQuery(company), enabled: data !== undefined && listed === undefined })
  const name = listed ?? read.data?.name ?? (read.isError ? company : 'Carregando...')
  return (
    <FilterSelect
      label="Empresa"
      all="Todas"
      options={[[company, name]]}
      value={company}
      onChange={(next) => {
        // The select goes with its filter.
        focusPage()
        onChange({ company: next })
      }}
    />
  )
}
