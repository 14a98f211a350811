// The way in for who chose a plan before there was a company: `/plans?plan={id}&cycle=yearly` shows what it costs at
// once. The plan leaves the address, so that a reload does not ask again; the cycle stays, as the selector's.
import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { sentences } from '../../api/errors'
import type { Plan } from '../../api/plans'
import type { PlanChoice, Subscription } from '../../api/subscriptions'
import { choiceFor, isCycle } from '../../lib/plans'
import { notifyInfo } from '../../ui/toast'
import { withChange } from '../../ui/url-state'
import { currentPlanOf } from './plan-grid'

interface LinkedPlan {
  /** Undefined until they are known. */
  plans: Plan[] | undefined
  subscription: Subscription | null | undefined
  canManage: boolean
  choose: (choice: PlanChoice) => void
  contact: (plan: Plan) => void
}

export function usePlanLink({ plans, subscription, canManage, choose, contact }: LinkedPlan): void {
  const [search, setSearch] = useSearchParams()
  const named = search.get('plan')
  const cycle = search.get('cycle')
  useEffect(() => {
    if (named === null || plans === undefined || subscription === undefined) return
    setSearch((before) => withChange(before, { plan: '' }), { replace: true, preventScrollReset: true })
    if (!canManage) return
    const plan = plans.find(({ id }) => id === named)
    const billingCycle = plan?.isFree || !isCycle(cycle) ? 'monthly' : cycle
    const choice = plan && choiceFor(plan, billingCycle, currentPlanOf(subscription, plans))
    if (!plan) notifyInfo(sentences.PLAN_NOT_AVAILABLE, { id: 'chosen plan' })
    else if (choice === 'current') notifyInfo('Este já é o plano da sua empresa', { id: 'chosen plan' })
    else if (choice === 'contact') contact(plan)
    else choose({ planId: plan.id, billingCycle })
  }, [named, cycle, plans, subscription, canManage, choose, contact, setSearch])
}
