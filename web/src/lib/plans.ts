// Rules of the plan cards: price of a cycle, what it saves against paying monthly, which discount label is true,
// what the button of a card offers. Pure; prices are decimal reais, all sums run in centavos.

import type { BillingCycle as Cycle } from './labels'
import { roundHalf, toMinor, toReais, type Reais } from './money'

export const CYCLES: readonly Cycle[] = ['monthly', 'quarterly', 'yearly']

export const CYCLE_MONTHS: Readonly<Record<Cycle, 1 | 3 | 12>> = { monthly: 1, quarterly: 3, yearly: 12 }

/** Discount that the cycle's label promises, in percent. */
const LABEL_PERCENT: Readonly<Record<Cycle, number>> = { monthly: 0, quarterly: 15, yearly: 25 }

/** Used until `GET /api/config` has answered. */
export const SALES_EMAIL = 'vendas@bipe.example'

export interface Prices {
  isFree: boolean
  monthlyPrice: number
  quarterlyPrice: number
  yearlyPrice: number
}

export function isCycle(text: unknown): text is Cycle {
  return CYCLES.some((cycle) => cycle === text)
}

/** Reais for the whole cycle. */
export function cyclePrice(plan: Prices, cycle: Cycle): Reais {
  return { monthly: plan.monthlyPrice, quarterly: plan.quarterlyPrice, yearly: plan.yearlyPrice }[cycle] as Reais
}

/** A paid plan whose price for the cycle is 0 is sold by talking to us. */
export function isContactSales(plan: Prices, cycle: Cycle): boolean {
  return !plan.isFree && cyclePrice(plan, cycle) === 0
}

export interface Saving {
  saving: Reais
  /** Whole percent. */
  percent: number
  perMonth: Reais
}

/** Saving of a cycle against 3 or 12 monthly payments; null when the cycle is not sold. */
export function savingOf(plan: Prices, cycle: Cycle): Saving | null {
  if (isContactSales(plan, cycle)) return null
  const months = CYCLE_MONTHS[cycle]
  const full = months * toMinor(plan.monthlyPrice)
  const price = toMinor(cyclePrice(plan, cycle))
  const saving = Math.max(0, full - price)
  return {
    saving: toReais(saving),
    percent: full === 0 ? 0 : roundHalf(100 * saving, full),
    perMonth: toReais(roundHalf(price, months)),
  }
}

/** '-15%' or '-25%' when at least one plan on sale really saves that much, else null. */
export function cycleLabel(plans: readonly Prices[], cycle: Cycle): string | null {
  const promised = LABEL_PERCENT[cycle]
  const reached = promised > 0 && plans.some((plan) => (savingOf(plan, cycle)?.percent ?? 0) >= promised)
  return reached ? `-${promised}%` : null
}

export type Choice = 'current' | 'contact' | 'subscribe' | 'upgrade' | 'downgrade' | 'cycle'

export interface Held {
  planId: string
  billingCycle: Cycle
  plan: Prices
}

/** What choosing the plan means; direction by monthlyPrice alone, as the server classifies it. */
export function choiceFor(plan: Prices & { id: string }, cycle: Cycle, held: Held | null): Choice {
  // A free plan has one price and is stored as monthly: whatever the selector says, it is the same plan.
  const same = held?.planId === plan.id && (plan.isFree || held.billingCycle === cycle)
  if (same) return 'current'
  if (isContactSales(plan, cycle)) return 'contact'
  if (!held) return 'subscribe'
  if (held.planId === plan.id) return 'cycle'
  return plan.monthlyPrice > held.plan.monthlyPrice ? 'upgrade' : 'downgrade'
}
