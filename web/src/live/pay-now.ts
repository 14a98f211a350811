// "Pagar agora": from any page straight to the payment that a subscription asks for, the open one or the plan in its
// cycle again. What cannot go straight there, the plans page explains: an amount that the credit covers, or a refusal.
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { asApiError } from '../api/errors'
import { previewChange, type Subscription } from '../api/subscriptions'
import { randomId } from '../lib/ids'
import { toMinor } from '../lib/money'
import { renewalPath } from '../lib/paths'
import { openCheckout, openPayment } from './payment-dialog'

type Payable = Pick<Subscription, 'companyId' | 'planId' | 'billingCycle' | 'payment'>

export function usePayNow({ companyId, planId, billingCycle, payment }: Payable): { pay: () => void; busy: boolean } {
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const payAgain = async () => {
    setBusy(true)
    const choice = { planId, billingCycle }
    try {
      const { billing, newPlan, changeType, quoteId } = await previewChange(companyId, choice, randomId())
      if (billing.amountDue === 0) void navigate(renewalPath(companyId))
      else
        openCheckout({
          companyId,
          ...choice,
          planName: newPlan.name,
          changeType,
          amount: toMinor(billing.amountDue),
          quoteId,
        })
    } catch (thrown) {
      const { code, fields } = asApiError(thrown)
      if (code === 'PAYMENT_IN_PROGRESS' && typeof fields['paymentId'] === 'string')
        openPayment(companyId, fields['paymentId'])
      else void navigate(renewalPath(companyId))
    } finally {
      setBusy(false)
    }
  }
  return { pay: () => (payment ? openPayment(companyId, payment.id) : void payAgain()), busy }
}
