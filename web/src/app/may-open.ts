// Which pages are offered to the person in the selected company. The sidebar, the palette and the shortcuts ask here, so
// that none of them leads to a refusal.
import { maySeeMoney, type Company } from '../api/companies'
import { paths } from '../lib/paths'

const moneyPages: readonly string[] = [
  paths.payments,
  paths.invoices,
  paths.balances,
  paths.transactions,
  paths.analytics,
]

export function mayOpen(page: string, company: Company | undefined): boolean {
  return !company || maySeeMoney(company) || !moneyPages.includes(page)
}
