// From the choice of a plan to its consequence: preview, confirmation, then a payment or a direct change. A preview that
// could not be had opens the payment at once; a preview that was refused opens nothing.
import { useCallback, useRef, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { asApiError, type ApiError } from '../../api/errors'
import type { Plan } from '../../api/plans'
import {
  createSubscription,
  downgradeSubscription,
  previewChange,
  renewSubscription,
  subscriptionKeys,
  upgradeSubscription,
  type ChangeType,
  type PlanChoice,
  type Preview,
  type Subscription,
} from '../../api/subscriptions'
import { randomId } from '../../lib/ids'
import { toMinor, type Minor } from '../../lib/money'
import { cyclePrice } from '../../lib/plans'
import { openCheckout, openPayment } from '../../live/payment-desk'
import { writeNewer } from '../../live/patch-cache'
import { serverNow } from '../../live/status'

export interface ChangeFailure {
  title: string
  error: ApiError
}

const failureTitles: Record<ChangeType, string> = {
  creation: 'Erro ao criar assinatura',
  upgrade: 'Erro ao fazer upgrade da assinatura',
  other: 'Erro ao fazer upgrade da assinatura',
  downgrade: 'Erro ao fazer downgrade da assinatura',
  renewal: 'Erro ao renovar assinatura',
}

export type PlanChange = ReturnType<typeof usePlanChange>

export function usePlanChange(companyId: string, plans: Plan[], held: Subscription | null) {
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<PlanChoice | null>(null)
  const [preview, setPreview] = useState<Preview | null>(null)
  const [choosing, setChoosing] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ChangeFailure | null>(null)
  const latest = useRef(0)

  const planOf = useCallback((planId: string) => plans.find(({ id }) => id === planId), [plans])

  /** The preview could not be had: the catalogue's price is what the payment starts from. */
  const payCataloguePrice = useCallback(
    (choice: PlanChoice) => {
      const plan = planOf(choice.planId)
      const price = plan ? toMinor(cyclePrice(plan, choice.billingCycle)) : 0
      if (!plan || price === 0) return
      openCheckout({ companyId, ...choice, planName: plan.displayName, changeType: held ? 'upgrade' : 'creation', amount: price as Minor })
    },
    [companyId, held, planOf],
  )

  const choose = useCallback(
    async (choice: PlanChoice) => {
      const mine = ++latest.current
      setFailure(null)
      setChosen(choice)
      setChoosing(choice.planId)
      try {
        const next = await previewChange(companyId, choice, randomId())
        if (mine === latest.current) setPreview(next)
      } catch (thrown) {
        if (mine !== latest.current) return
        const error = asApiError(thrown)
        setPreview(null)
        const { paymentId } = error.fields
        if (error.isUncertain) payCataloguePrice(choice)
        if (error.code === 'PAYMENT_IN_PROGRESS' && typeof paymentId === 'string') openPayment(companyId, paymentId)
        setFailure({ title: error.isUncertain ? 'Erro ao calcular preview da mudança' : 'Erro ao calcular mudança de plano', error })
      } finally {
        if (mine === latest.current) setChoosing(null)
      }
    },
    [companyId, payCataloguePrice],
  )

  const close = useCallback(() => {
    latest.current += 1
    setPreview(null)
    setChoosing(null)
  }, [])

  const execute = async (choice: PlanChoice, changeType: ChangeType) => {
    setBusy(true)
    try {
      writeNewer(queries, subscriptionKeys.current(companyId), await change(companyId, choice, changeType))
    } catch (thrown) {
      const error = asApiError(thrown)
      console.warn('plan change failed', error.code)
      setFailure({ title: failureTitles[changeType], error })
    } finally {
      setBusy(false)
      close()
      void queries.invalidateQueries({ queryKey: subscriptionKeys.current(companyId) })
    }
  }

  const confirm = () => {
    if (!preview || !chosen) return
    if (Date.parse(preview.expiresAt) <= serverNow()) {
      void choose(chosen)
      return
    }
    const amount = toMinor(preview.billing.amountDue)
    if (amount === 0) {
      void execute(chosen, preview.changeType)
      return
    }
    close()
    openCheckout({ companyId, ...chosen, planName: preview.newPlan.name, changeType: preview.changeType, amount, quoteId: preview.quoteId })
  }

  return { preview, choosing, busy, failure, choose, confirm, close, dismissFailure: () => setFailure(null), plan: chosen ? planOf(chosen.planId) : undefined, chosen }
}

function change(companyId: string, choice: PlanChoice, changeType: ChangeType): Promise<Subscription> {
  const key = randomId()
  switch (changeType) {
    case 'creation':
      return createSubscription(companyId, choice, key)
    case 'downgrade':
      return downgradeSubscription(companyId, choice, key)
    case 'renewal':
      return renewSubscription(companyId, key)
    case 'upgrade':
    case 'other':
      return upgradeSubscription(companyId, choice, key)
    default:
      return changeType satisfies never
  }
}
