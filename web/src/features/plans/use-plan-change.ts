// From the choice of a plan to its consequence: preview, confirmation, then a payment or a direct change. A preview
// without an answer opens the payment at once; a refused preview opens nothing. Whoever leaves the page meanwhile is
// led nowhere.
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { asApiError } from '../../api/errors'
import { writeNewer } from '../../api/newest'
import type { PaymentMethod } from '../../api/payment-methods'
import type { Plan } from '../../api/plans'
import {
  changeSubscription,
  previewChange,
  rereadSubscription,
  subscriptionKeys,
  type ChangeType,
  type PlanChoice,
  type Preview,
  type Subscription,
} from '../../api/subscriptions'
import { formatDate } from '../../lib/dates'
import { randomId } from '../../lib/ids'
import { isOpenPayment } from '../../lib/labels'
import { toMinor } from '../../lib/money'
import { choiceFor, CYCLE_MONTHS, cyclePrice, lostFeatures } from '../../lib/plans'
import { askAboutOpenPayment, openCheckout, orderOf, type MissingPreview } from '../../live/payment-dialog'
import { basisOf, isAhead } from '../../live/subscription-state'
import { notifySuccess } from '../../ui/toast'
import { useIsMounted } from '../../ui/use-is-mounted'
import { currentPlanOf } from './plan-grid'
import { titleOf, type ChangeFailure } from './use-command'

/** A quote binds for 15 minutes; here counted from its arrival, because a clock of ours may be wrong. */
export const QUOTE_MS = 15 * 60_000

const failureTitles: Record<ChangeType, string> = {
  creation: 'Erro ao criar assinatura',
  upgrade: 'Erro ao fazer upgrade da assinatura',
  other: 'Erro ao fazer upgrade da assinatura',
  downgrade: 'Erro ao fazer downgrade da assinatura',
  renewal: 'Erro ao renovar assinatura',
}

export type PlanChange = ReturnType<typeof usePlanChange>

export function usePlanChange(companyId: string, plans: Plan[], subscription: Subscription | null) {
  const queries = useQueryClient()
  const open = subscription?.payment
  const [chosen, setChosen] = useState<PlanChoice | null>(null)
  const [preview, setPreview] = useState<Preview | null>(null)
  const [choosing, setChoosing] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ChangeFailure | null>(null)
  const latest = useRef(0)
  const isMounted = useIsMounted()
  const quotedAt = useRef(0)
  const basis = quoteBasisOf(subscription)
  const known = useRef(basis)
  useEffect(() => {
    known.current = basis
  }, [basis])
  const quotedOn = useRef(basis)
  const [isFollowed, setFollowed] = useState(false)
  /** An issued boleto stays open; the person was told, and goes on with another payment in its place. */
  const replaces = useRef(false)

  const planOf = useCallback((planId: string) => plans.find(({ id }) => id === planId), [plans])

  /** Without a preview the payment starts from the catalogue's price, and says so. Whether it does. */
  const payCataloguePrice = useCallback(
    (choice: PlanChoice, unquoted: MissingPreview): boolean => {
      const plan = planOf(choice.planId)
      const amount = plan ? toMinor(cyclePrice(plan, choice.billingCycle)) : 0
      if (!plan || amount === 0) return false
      const changeType = subscription ? 'upgrade' : 'creation'
      const order = { companyId, ...choice, planName: plan.displayName, changeType, amount } as const
      openCheckout(order, { replace: replaces.current, unquoted })
      return true
    },
    [companyId, subscription, planOf],
  )

  /** Asks for a quote and hands it on, unless a newer choice overtook it or the page was left. */
  const quote = useCallback(
    async (choice: PlanChoice, then: (next: Preview) => void) => {
      const mine = ++latest.current
      const isWanted = () => mine === latest.current && isMounted.current
      quotedOn.current = known.current
      setFailure(null)
      setChosen(choice)
      setChoosing(choice.planId)
      try {
        const next = await previewChange(companyId, choice, randomId())
        if (!isWanted()) return
        quotedAt.current = Date.now()
        then(next)
      } catch (thrown) {
        if (!isWanted()) return
        const error = asApiError(thrown)
        setPreview(null)
        const title = error.isUncertain
          ? 'Erro ao calcular preview da mudança'
          : titleOf(error, 'Erro ao calcular mudança de plano')
        // Without the network a checkout could only fail.
        const opensPayment = error.isUncertain && navigator.onLine && payCataloguePrice(choice, { title, error })
        // Behind the payment nobody would read it.
        if (!opensPayment) setFailure({ title, error })
      } finally {
        if (isWanted()) setChoosing(null)
      }
    },
    [companyId, isMounted, payCataloguePrice],
  )

  /** A payment that is open is asked about before anything else. */
  const ask = useCallback(
    (choice: PlanChoice, then: (next: Preview) => void) => {
      replaces.current = false
      setFollowed(false)
      const go = (replace: boolean) => {
        replaces.current = replace
        void quote(choice, then)
      }
      if (open && isOpenPayment(open)) {
        const costsNothing = isWithoutCost(choice, plans, subscription)
        askAboutOpenPayment({ companyId, paymentId: open.id, costsNothing, proceed: go })
      } else go(false)
    },
    [companyId, open, plans, subscription, quote],
  )

  const choose = useCallback((choice: PlanChoice) => ask(choice, setPreview), [ask])

  const requote = useCallback((choice: PlanChoice) => quote(choice, setPreview), [quote])

  const close = useCallback(() => {
    latest.current += 1
    setFollowed(false)
    setPreview(null)
    setChoosing(null)
  }, [])

  const pay = useCallback(
    (choice: PlanChoice, quoted: Preview, method?: PaymentMethod) =>
      openCheckout(orderOf(companyId, choice, quoted), { ...(method && { method }), replace: replaces.current }),
    [companyId],
  )

  /** Straight to the payment. A change that costs nothing is shown first all the same. */
  const chooseAndPay = useCallback(
    (choice: PlanChoice, method?: PaymentMethod) =>
      ask(choice, (next) => (next.billing.amountDue > 0 ? pay(choice, next, method) : setPreview(next))),
    [ask, pay],
  )

  useRenewedQuote(preview, chosen, busy, requote)

  // A colleague, or time, has changed the subscription under the open dialog.
  useEffect(() => {
    if (!preview || !chosen || busy || basis === quotedOn.current) return
    setFollowed(true)
    void requote(chosen)
  }, [preview, chosen, busy, basis, requote])

  const execute = async (choice: PlanChoice, changeType: ChangeType) => {
    setBusy(true)
    try {
      const next = await changeSubscription(companyId, changeType, choice, randomId())
      writeNewer(queries, subscriptionKeys.current(companyId), next)
      close()
      notifySuccess(outcomeOf(next, changeType))
    } catch (thrown) {
      const error = asApiError(thrown)
      console.warn('plan change failed', error.code)
      if (!isMounted.current) return
      // Something is due after all: the new quote says how much.
      if (error.code === 'PAYMENT_REQUIRED') return void (await requote(choice))
      close()
      const { paymentId } = error.fields
      if (error.code === 'PAYMENT_IN_PROGRESS' && typeof paymentId === 'string') {
        replaces.current = false
        askAboutOpenPayment({ companyId, paymentId, costsNothing: true, proceed: () => void requote(choice) })
      } else setFailure({ title: titleOf(error, failureTitles[changeType]), error })
    } finally {
      setBusy(false)
      rereadSubscription(queries, companyId)
    }
  }

  const confirm = () => {
    if (!preview || !chosen) return
    if (Date.now() - quotedAt.current >= QUOTE_MS) {
      void requote(chosen)
      return
    }
    if (preview.billing.amountDue === 0) {
      void execute(chosen, preview.changeType)
      return
    }
    close()
    pay(chosen, preview)
  }

  const plan = chosen ? planOf(chosen.planId) : undefined
  const current = subscription && (planOf(subscription.planId) ?? subscription.plan)
  return {
    preview,
    choosing,
    busy,
    /** The subscription has changed since the dialog was opened; the quote is of what it is now. */
    isFollowed,
    failure,
    choose,
    requote,
    chooseAndPay,
    confirm,
    close,
    dismissFailure: () => setFailure(null),
    plan,
    /** What the current plan has and the chosen one lacks. */
    lost: plan && current ? lostFeatures(current, plan, plans) : [],
    chosen,
  }
}

/** What the quote names beside what an order rests on: a change that it takes the place of, and the credit. */
function quoteBasisOf(subscription: Subscription | null): string {
  const next = subscription?.pendingChange
  // One that only waits for its first payment comes and goes with it: without credit it is as none.
  return [basisOf(subscription), next?.planName, next?.billingCycle, subscription?.creditBalance ?? 0].join(' ')
}

/** As far as it is known before the quote, which knows the credit too. */
function isWithoutCost(choice: PlanChoice, plans: Plan[], subscription: Subscription | null): boolean {
  const { planId, billingCycle } = choice
  const plan = plans.find(({ id }) => id === planId)
  if (!plan || plan.isFree) return plan !== undefined
  // While a renewal is due, every plan costs its price.
  if (!subscription || !isAhead(subscription.nextBillingDate ?? subscription.endDate)) return false
  const kind = choiceFor(plan, billingCycle, currentPlanOf(subscription, plans))
  if (kind === 'cycle') return CYCLE_MONTHS[billingCycle] < CYCLE_MONTHS[subscription.billingCycle]
  return kind === 'downgrade' || kind === 'other'
}

/** A quote that grows old under the open dialog is taken anew. */
function useRenewedQuote(
  preview: Preview | null,
  chosen: PlanChoice | null,
  busy: boolean,
  requote: (choice: PlanChoice) => Promise<void>,
): void {
  const renew = useEffectEvent((choice: PlanChoice) => void requote(choice))
  useEffect(() => {
    if (!preview || !chosen || busy) return
    const timer = setTimeout(() => renew(chosen), QUOTE_MS)
    return () => clearTimeout(timer)
  }, [preview, chosen, busy])
}

/** The card that shows it may be out of sight. */
function outcomeOf({ pendingChange }: Subscription, changeType: ChangeType): string {
  if (pendingChange)
    return `Mudança para ${pendingChange.planName} agendada para ${formatDate(pendingChange.effectiveDate)}`
  return changeType === 'creation' || changeType === 'renewal' ? 'Assinatura ativa' : 'Plano alterado'
}
