// After a success the change of the subscription is already done, in the payment's own transaction. The call
// of the change is sent all the same: it finds the change done and answers the subscription as it is now.
import { useEffect, useRef } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { writeNewer } from '../../api/newest'
import type { Payment } from '../../api/payments'
import { changeSubscription, rereadSubscription, subscriptionKeys } from '../../api/subscriptions'

/** Once per payment that turned to SUCCESS while it was shown. One that became credit has changed nothing. */
export function useExecuteChange(payment: Payment): void {
  const queries = useQueryClient()
  const first = useRef(payment.status)
  const done = useRef(false)
  const { id, companyId, status, credited } = payment
  const { planId, billingCycle, changeType } = payment.metadata
  useEffect(() => {
    if (status !== 'SUCCESS' || credited || done.current || first.current === 'SUCCESS') return
    done.current = true
    // The paid plan runs already, and a downgrade to the plan that runs is refused.
    const call = changeType === 'downgrade' ? 'upgrade' : changeType
    changeSubscription(companyId, call, { planId, billingCycle }, `applied ${id}`)
      .then((subscription) => writeNewer(queries, subscriptionKeys.current(companyId), subscription))
      .catch((error: unknown) => console.warn('the change was not confirmed', error))
      .finally(() => rereadSubscription(queries, companyId))
  }, [queries, id, companyId, status, credited, planId, billingCycle, changeType])
}
