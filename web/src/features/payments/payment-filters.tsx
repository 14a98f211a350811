// What the list of payments is narrowed by, in the URL: words, days, status and method.
import { paymentMethods } from '../../api/payment-methods'
import type { PaymentFilter } from '../../api/payments'
import { dayOf } from '../../lib/dates'
import { optionsOf, paymentStatuses } from '../../lib/labels'
import { serverNow } from '../../live/status'
import { DayRange, daysOf } from '../../ui/day-range'
import { FilterSelect } from '../../ui/filter-select'
import { searchOf } from '../../ui/list-filters'
import { SearchField } from '../../ui/search-field'
import { oneOf, type UrlState } from '../../ui/url-state'

interface FiltersProps {
  url: UrlState
  /** Empty values take a filter away. */
  onChange: (change: Record<string, string>) => void
}

export function PaymentFilters({ url, onChange }: FiltersProps) {
  const { search, status, method } = filterOf(url)
  return (
    <>
      <SearchField
        hint="Plano, valor ou código"
        value={search ?? ''}
        onSearch={(words) => onChange({ search: words })}
      />
      <DayRange url={url} max={dayOf(serverNow())} onChange={onChange} />
      <FilterSelect
        label="Status"
        all="Todos"
        options={optionsOf(paymentStatuses)}
        value={status}
        onChange={(chosen) => onChange({ status: chosen })}
      />
      <FilterSelect
        label="Forma de pagamento"
        all="Todas"
        options={optionsOf(paymentMethods)}
        value={method}
        onChange={(chosen) => onChange({ method: chosen })}
      />
    </>
  )
}

export const FILTER_NAMES = ['status', 'method', 'search', 'from', 'to']

/** What the URL names wrongly is no filter. */
export function filterOf(url: UrlState): PaymentFilter {
  const status = oneOf(paymentStatuses, url.get('status'))
  const method = oneOf(paymentMethods, url.get('method'))
  return { ...daysOf(url), ...(status && { status }), ...(method && { method }), ...searchOf(url) }
}
