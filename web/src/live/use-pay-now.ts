// "Pagar agora": from any page straight to the payment that a subscription asks for, the open one or the plan in its
// cycle again. What cannot go straight there, the plans page explains: an amount that the credit covers, or a refusal.
// Whoever leaves the page or its company meanwhile is led nowhere.
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { asApiError } from '../api/errors'
import { previewChange, type Subscription } from '../api/subscriptions'
import { randomId } from '../lib/ids'
import { renewalPath } from '../lib/paths'
import { notifyError } from '../ui/toast'
import { useIsMounted } from '../ui/use-is-mounted'
import { openCheckout, orderOf, showPayment } from './payment-dialog'

type Payable = Pick<Subscription, 'companyId' | 'planId' | 'billingCycle' | 'payment'>

export function usePayNow({ companyId, planId, billingCycle, payment }: Payable): { pay: () => void; busy: boolean } {
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const isMounted = useIsMounted()
  const payAgain = async () => {
    setBusy(true)
    const choice = { planId, billingCycle }
    try {
      const preview = await previewChange(companyId, choice, randomId())
      if (!isMounted.current) return
      if (preview.billing.amountDue === 0) void navigate(renewalPath(companyId))
      else openCheckout(orderOf(companyId, choice, preview))
    } catch (thrown) {
      if (!isMounted.current) return
      const error = asApiError(thrown)
      if (error.code === 'NETWORK_ERROR') notifyError(error.sentence, { id: 'pay now' })
      else void navigate(renewalPath(companyId))
    } finally {
      setBusy(false)
    }
  }
  return { pay: () => (payment ? showPayment(companyId, payment.id) : void payAgain()), busy }
}
