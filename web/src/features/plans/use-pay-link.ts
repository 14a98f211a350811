// The way in from a reminder: `/plans?pay=renewal&company={id}` selects the company and opens its renewal's payment. The
// parameters leave the address at once, so that a reload or a shared link does not open it again.
import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import type { PlanChoice, Subscription } from '../../api/subscriptions'
import { useCompany } from '../../auth/company'
import { openPayment } from '../../live/payment-desk'
import { renewalOf } from '../../live/subscription-state'
import { notifyInfo } from '../../ui/toast'

/** Selects the company that the link names, when the person belongs to it. */
export function useLinkedCompany(): void {
  const { companies, company, select } = useCompany()
  const [search, setSearch] = useSearchParams()
  const named = search.get('company')
  const known = companies.find(({ id }) => id === named)
  useEffect(() => {
    if (named === null || companies.length === 0) return
    if (known && known.id !== company?.id) select(known)
    else setSearch((before) => without(before, 'company'), { replace: true, preventScrollReset: true })
  }, [named, known, companies.length, company?.id, select, setSearch])
}

interface LinkedPayment {
  /** Undefined until it is known what the company holds. */
  held: Subscription | null | undefined
  canManage: boolean
  payNow: (choice: PlanChoice) => void
}

export function usePayLink({ held, canManage, payNow }: LinkedPayment): void {
  const [search, setSearch] = useSearchParams()
  // While the company is being chosen, this is another one's page.
  const asked = search.get('pay') === 'renewal' && !search.has('company')
  useEffect(() => {
    if (!asked || held === undefined) return
    setSearch((before) => without(before, 'pay'), { replace: true, preventScrollReset: true })
    if (!canManage) return
    if (held?.payment) openPayment(held.companyId, held.payment.id)
    else if (held && renewalOf(held)) payNow({ planId: held.planId, billingCycle: held.billingCycle })
    else notifyInfo('A renovação desta empresa está em dia', { id: 'renewal paid' })
  }, [asked, held, canManage, payNow, setSearch])
}

function without(search: URLSearchParams, name: string): URLSearchParams {
  const rest = new URLSearchParams(search)
  rest.delete(name)
  return rest
}
