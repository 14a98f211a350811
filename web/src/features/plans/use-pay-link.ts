// The way in from a reminder: `/plans?companyId={id}&pay=renewal&method=PIX` selects the company and opens the payment
// of its renewal. The parameters leave the address at once, so that a reload or a shared link does not open it again.
import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { sentences } from '../../api/errors'
import { paymentMethods, type PaymentMethod } from '../../api/payment-methods'
import type { Payment } from '../../api/payments'
import type { PlanChoice, Subscription } from '../../api/subscriptions'
import { showPayment } from '../../live/payment-dialog'
import { notifyInfo } from '../../ui/toast'
import { oneOf, withChange } from '../../ui/url-state'

interface LinkedPayment {
  /** Undefined until it is known what the company holds. */
  subscription: Subscription | null | undefined
  canManage: boolean
  payNow: (choice: PlanChoice, method?: PaymentMethod) => void
}

export function usePayLink({ subscription, canManage, payNow }: LinkedPayment): void {
  const [search, setSearch] = useSearchParams()
  // While the company is being chosen, this is another one's page.
  const method = oneOf(paymentMethods, search.get('method'))
  const asked = search.get('pay') === 'renewal' && !search.has('companyId')
  useEffect(() => {
    if (!asked || subscription === undefined) return
    setSearch((before) => withChange(before, { pay: '', method: '' }), { replace: true, preventScrollReset: true })
    if (!canManage) return
    const open = subscription?.payment
    if (subscription && open && isFor(open, subscription)) showPayment(subscription.companyId, open.id)
    else if (subscription && (!subscription.state || subscription.state.action === 'pay'))
      payNow({ planId: subscription.planId, billingCycle: subscription.billingCycle }, method)
    else notifyInfo(nothingToPay(subscription), { id: 'renewal paid' })
  }, [asked, method, subscription, canManage, payNow, setSearch])
}

/** Why the renewal is not paid now. */
function nothingToPay(subscription: Subscription | null): string {
  if (!subscription || subscription.status === 'pending')
    return 'Esta empresa ainda não tem assinatura: escolha um plano'
  if (subscription.status === 'canceled') return 'A assinatura está cancelada: use Reativar para manter o plano'
  if (subscription.price === 0) return 'O plano gratuito não tem renovação'
  if (subscription.status === 'expired') return sentences.PLAN_NOT_AVAILABLE
  return 'A renovação desta empresa está em dia'
}

function isFor({ metadata }: Payment, { planId, billingCycle }: Subscription): boolean {
  return metadata.planId === planId && metadata.billingCycle === billingCycle
}
