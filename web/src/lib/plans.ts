// Rules of the plan cards: price of a cycle, what it saves against paying monthly, which discount label is true,
// what the button of a card offers. Pure; prices are decimal reais, all sums run in centavos.

import { counted, type BillingCycle as Cycle } from './labels'
import { roundHalf, toMinor, toReais } from './money'

export const CYCLES: readonly Cycle[] = ['monthly', 'quarterly', 'yearly']

export const CYCLE_MONTHS: Readonly<Record<Cycle, 1 | 3 | 12>> = { monthly: 1, quarterly: 3, yearly: 12 }

/** What the cycle's label promises, and the percentage that makes it true. */
const DISCOUNT_LABELS: Readonly<Record<Cycle, { text: string; percent: number } | null>> = {
  monthly: null,
  quarterly: { text: '-15%', percent: 15 },
  yearly: { text: '-25%', percent: 25 },
}

export const UNLIMITED = -1

export interface Limits {
  maxUsers: number
  maxBeeping: number
}
type KnownLimits = Record<keyof Limits, number | null>

/** What a plan allows, a line each; a limit that is not known yet has none. */
export function limitLines({ maxUsers, maxBeeping }: KnownLimits): string[] {
  const lines = []
  if (maxUsers === UNLIMITED) lines.push('Usuários ilimitados')
  else if (maxUsers !== null)
    lines.push(`${maxUsers > 0 ? 'Até ' : ''}${counted(maxUsers, 'usuário', 'usuários', 'Nenhum')}`)
  if (maxBeeping === UNLIMITED) lines.push('Bipagens ilimitadas')
  else if (maxBeeping !== null) lines.push(`${counted(maxBeeping, 'bipagem', 'bipagens', 'Nenhuma')} por mês`)
  return lines
}

const INHERITS = 'Tudo do plano '

/** What a plan's card promises: first all of the plan below it, then what it allows, then what else is in it. */
export function offerLines(limits: KnownLimits, features: readonly string[]): string[] {
  const inherits = (feature: string) => feature.startsWith(INHERITS)
  return [...features.filter(inherits), ...limitLines(limits), ...features.filter((feature) => !inherits(feature))]
}

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
export function cyclePrice(plan: Prices, cycle: Cycle): number {
  return { monthly: plan.monthlyPrice, quarterly: plan.quarterlyPrice, yearly: plan.yearlyPrice }[cycle]
}

/** A paid plan whose price for the cycle is 0 is sold by talking to us; without a monthly price, in every cycle. */
export function isContactSales(plan: Prices, cycle: Cycle): boolean {
  return !plan.isFree && (plan.monthlyPrice === 0 || cyclePrice(plan, cycle) === 0)
}

interface Saving {
  saving: number
  /** Whole percent. */
  percent: number
  perMonth: number
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
  const label = DISCOUNT_LABELS[cycle]
  const reached = label !== null && plans.some((plan) => (savingOf(plan, cycle)?.percent ?? 0) >= label.percent)
  return reached ? label.text : null
}

/** The first plan, by hierarchy, whose limit takes so many readings a month. */
export function planForBeeping<P extends { limits: { maxBeeping: number } }>(
  plans: readonly P[],
  readings: number,
): P | undefined {
  return plans.find(({ limits }) => limits.maxBeeping === UNLIMITED || limits.maxBeeping >= readings)
}

interface Featured {
  displayName: string
  features: readonly string[]
}

/**
 * Everything that is in a plan, for a comparison: a line "Tudo do plano X" stands for the features of X, if X is among
 * the plans. A circle ends where it closes.
 */
export function allFeatures(plan: Featured, plans: readonly Featured[], seen: readonly Featured[] = []): string[] {
  const found = plan.features.flatMap((feature) => {
    const named = plans.find(({ displayName }) => feature === INHERITS + displayName)
    if (!named) return [feature]
    return seen.includes(named) ? [] : allFeatures(named, plans, [...seen, plan])
  })
  return [...new Set(found)]
}

/** What is in the one plan and not in the other. */
export function lostFeatures(from: Featured, to: Featured, plans: readonly Featured[]): string[] {
  const kept = allFeatures(to, plans)
  return allFeatures(from, plans).filter((feature) => !kept.includes(feature))
}

export type Choice = 'current' | 'contact' | 'subscribe' | 'upgrade' | 'downgrade' | 'cycle' | 'other'

export interface CurrentPlan {
  planId: string
  billingCycle: Cycle
  /** What the company pays; its plan may have got another price since. */
  price: number
  plan: Prices
}

/** What choosing the plan means; compared as the server compares: the monthly price first, then the cycle's months. */
export function choiceFor(plan: Prices & { id: string }, cycle: Cycle, current: CurrentPlan | null): Choice {
  const isOwn = current?.planId === plan.id
  // Who had the plan while it was free has not bought it.
  const isBought = plan.isFree || isContactSales(plan, cycle) || (current?.price ?? 0) > 0
  // A free plan has one price and is stored as monthly: whatever the selector says, it is the same plan.
  if (isOwn && isBought && (plan.isFree || current.billingCycle === cycle)) return 'current'
  if (isContactSales(plan, cycle)) return 'contact'
  if (!current) return 'subscribe'
  if (isOwn) return isBought ? 'cycle' : 'upgrade'
  // What is paid now decides between free and paid, whatever its plan costs by now.
  if (current.price === 0) return plan.isFree ? 'other' : 'upgrade'
  if (plan.isFree) return 'downgrade'
  const direction =
    toMinor(plan.monthlyPrice) - toMinor(current.plan.monthlyPrice) ||
    CYCLE_MONTHS[cycle] - CYCLE_MONTHS[current.billingCycle]
  if (direction === 0) return 'other'
  return direction > 0 ? 'upgrade' : 'downgrade'
}
