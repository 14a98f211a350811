// What the company's subscription asks of its people, at the foot of every page: nothing while all is well. It stands
// there, and not above the content, because it comes with an answer and must not move what is being read. On a low
// screen, as above the keyboard of a phone with larger text, it stands at the end of the page instead: fixed, it would
// leave no room for what is being typed.
import { useEffect } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { isOpen, mayManage, type Company } from '../api/companies'
import { subscriptionKeys, subscriptionQuery, type Subscription } from '../api/subscriptions'
import { useCompany } from '../auth/company'
import { usePaymentDialog } from '../live/payment-dialog'
import { usePayNow } from '../live/use-pay-now'
import { serverNow } from '../live/server-clock'
import { subscriptionState, type SubscriptionState } from '../live/subscription-state'
import { Alert } from '../ui/alert'

/** The longest wait of a browser's timer. */
const LONGEST_MS = 2 ** 31 - 1

export function SubscriptionBanner() {
  const { company } = useCompany()
  // A company that is not open has a banner of its own, and nobody in it pays.
  return company && isOpen(company) ? <CompanySubscription key={company.id} company={company} /> : null
}

function CompanySubscription({ company }: { company: Company }) {
  const { data: subscription } = useQuery(subscriptionQuery(company.id))
  useDeadline(company.id, subscription?.state?.deadline)
  const isPaying = usePaymentDialog().kind !== 'closed'
  const state = subscription ? subscriptionState(subscription) : null
  if (!subscription || !state?.isUrgent) return null
  return (
    <aside
      aria-label="Situação da assinatura"
      data-foot
      className="no-print sticky bottom-0 z-20 border-t border-line bg-bg low:static"
    >
      <Alert
        tone={state.tone}
        // The payment's own dialog tells how it goes.
        role={isPaying ? 'none' : 'status'}
        className="rounded-none md:px-6 lg:px-8"
        actions={
          mayManage(company) ? (
            <PayNow subscription={subscription} action={state.action} />
          ) : (
            'Fale com um administrador da empresa'
          )
        }
      >
        <span className="tabular-nums">{[state.line, state.amount].filter(Boolean).join(' · ')}</span>
      </Alert>
    </aside>
  )
}

function PayNow({ subscription, action }: { subscription: Subscription; action: SubscriptionState['action'] }) {
  const { pay, busy } = usePayNow(subscription)
  if (action !== 'pay' && action !== 'payment') return null
  const isUnderWay = subscription.payment?.status === 'PROCESSING'
  return (
    <button
      type="button"
      onClick={busy ? undefined : pay}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
    >
      {isUnderWay ? 'Acompanhar pagamento' : 'Pagar agora'}
    </button>
  )
}

/** What time alone changes is read when the time has come. */
function useDeadline(companyId: string, deadline: string | null | undefined): void {
  const queries = useQueryClient()
  useEffect(() => {
    const left = deadline ? Date.parse(deadline) - serverNow() : 0
    if (left <= 0 || left > LONGEST_MS) return
    const read = () => void queries.invalidateQueries({ queryKey: subscriptionKeys.current(companyId) })
    const timer = setTimeout(read, left + 1_000)
    return () => clearTimeout(timer)
  }, [queries, companyId, deadline])
}
