// The filter of a list of payments, in the URL: of one company's, and of all companies'.
import { optionsOf, paymentStatuses } from '../lib/labels'
import { daysOf } from '../ui/day-range'
import { searchOf } from '../ui/list-filters'
import { oneOf, type UrlState } from '../ui/url-state'
import { paymentMethods } from './payment-methods'
import type { PaymentFilter } from './payments'

/** What the URL names wrongly is no filter. */
export function paymentFilterOf(url: Pick<UrlState, 'get'>): PaymentFilter {
  const status = oneOf(paymentStatuses, url.get('status'))
  const method = oneOf(paymentMethods, url.get('method'))
  return { ...daysOf(url), ...(status && { status }), ...(method && { method }), ...searchOf(url) }
}

/** For the bar above the list. */
export const paymentSelects = ({ status, method }: PaymentFilter) => [
  { name: 'status', label: 'Status', all: 'Todos', options: optionsOf(paymentStatuses), value: status },
  { name: 'method', label: 'Forma de pagamento', all: 'Todas', options: optionsOf(paymentMethods), value: method },
]
