// A plan as the form edits it: what it checks, what it sends, what it fills in by itself. Pure. -1 is unlimited.
import type { AdminPlan, PlanRequest } from '../../../api/admin'
import { fieldSentenceOf } from '../../../api/errors'
import { atMost, present, priceProblemOf } from '../../../api/form-fields'
import { formatCount } from '../../../lib/decimal'
import { roundHalf, toMinor, toReais } from '../../../lib/money'
import { plainText } from '../../../lib/plain-text'
import { UNLIMITED } from '../../../lib/plans'
import { z } from '../../../lib/zod'

/** This form's own wording. */
export const REQUIRED = 'Campo obrigatório'
const FREE_HAS_NO_PRICE = 'Um plano gratuito não tem preço em outro ciclo'
const NAME_MAX = 100
const DESCRIPTION_MAX = 500
export const FEATURE_MAX = 120
export const FEATURES_MAX = 30
const invalid = fieldSentenceOf('INVALID')

const text = (max: number) => present(REQUIRED).check(atMost(max))
/** Null while the field is empty. */
const number = (problemOf: (value: number) => string | undefined) =>
  z.nullable(z.number()).check(
    z.refine((value) => value !== null, REQUIRED),
    z.refine((value) => value === null || problemOf(value) === undefined, {
      error: ({ input }) => problemOf(Number(input)),
    }),
  )
const price = number(priceProblemOf)
function problemOf(value: number, min: number, max: number): string | undefined {
  if (!Number.isInteger(value)) return invalid
  if (value < min) return `O mínimo é ${formatCount(min)}`
  return value > max ? `O máximo é ${formatCount(max)}` : undefined
}
const whole = (min: number, max: number) => number((value) => problemOf(value, min, max))
const limit = (min: number, max: number) =>
  number((value) => (value === UNLIMITED ? undefined : problemOf(value, min, max)))

export const planSchema = z
  .object({
    displayName: text(NAME_MAX),
    description: text(DESCRIPTION_MAX),
    monthlyPrice: price,
    quarterlyPrice: price,
    yearlyPrice: price,
    features: z.array(z.object({ text: text(FEATURE_MAX) })),
    limits: z.object({ maxUsers: limit(1, 1_000_000), maxBeeping: limit(0, 1_000_000_000) }),
    isPopular: z.boolean(),
    onRequest: z.boolean(),
    hierarchy: whole(1, 1000),
  })
  .check(
    z.superRefine((form, context) => {
      if (form.monthlyPrice !== 0 || form.onRequest) return
      for (const name of ['quarterlyPrice', 'yearlyPrice'] as const) {
        if (form[name] !== null && form[name] > 0)
          context.addIssue({ code: 'custom', path: [name], message: FREE_HAS_NO_PRICE })
      }
    }),
  )

export type PlanForm = z.input<typeof planSchema>

export const emptyPlan: PlanForm = {
  displayName: '',
  description: '',
  monthlyPrice: null,
  quarterlyPrice: null,
  yearlyPrice: null,
  features: [],
  limits: { maxUsers: null, maxBeeping: null },
  isPopular: false,
  onRequest: false,
  hierarchy: 1,
}

export function formOf(plan: AdminPlan): PlanForm {
  return {
    ...plan,
    features: plan.features.map((feature) => ({ text: feature })),
    onRequest: !plan.isFree && plan.monthlyPrice === 0,
  }
}

/** Only for a form that passed the schema. Whether the plan is on sale is not the form's. */
export function requestOf(form: PlanForm) {
  const { displayName, description, isPopular, features, limits } = form
  return {
    displayName: plainText(displayName),
    description: plainText(description),
    isPopular,
    isFree: isFree(form),
    features: features.map((feature) => plainText(feature.text)),
    monthlyPrice: form.monthlyPrice ?? 0,
    quarterlyPrice: form.quarterlyPrice ?? 0,
    yearlyPrice: form.yearlyPrice ?? 0,
    limits: { maxUsers: limits.maxUsers ?? 0, maxBeeping: limits.maxBeeping ?? 0 },
    hierarchy: form.hierarchy ?? 1,
  } satisfies PlanRequest
}

/** Free is what costs nothing a month, unless it is sold by talking. */
export function isFree({ monthlyPrice, onRequest }: Pick<PlanForm, 'monthlyPrice' | 'onRequest'>): boolean {
  return monthlyPrice === 0 && !onRequest
}

/** Lower case, spaces to hyphens, accents stripped: the server's rule. */
export function slugOf(displayName: string): string {
  return displayName.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim().split(/\s+/).join('-')
}

/** Three months less 15 %, twelve less 25 %, in centavos, rounded once. */
export function discounted(monthlyPrice: number): { quarterlyPrice: number; yearlyPrice: number } {
  const monthly = toMinor(monthlyPrice)
  return {
    quarterlyPrice: toReais(roundHalf(monthly * 3 * 85, 100)),
    yearlyPrice: toReais(roundHalf(monthly * 12 * 75, 100)),
  }
}
