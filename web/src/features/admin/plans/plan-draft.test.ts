import { describe, expect, test } from 'vitest'
import { discounted, emptyPlan, formOf, isFree, planSchema, requestOf, slugOf, type PlanForm } from './plan-draft'

const form: PlanForm = {
  displayName: ' Plano Ágil ',
  description: 'Para quem começa.',
  monthlyPrice: 49.9,
  quarterlyPrice: 127.25,
  yearlyPrice: 449.1,
  features: [{ text: ' Painel ' }, { text: 'Suporte' }],
  limits: { maxUsers: 10, maxBeeping: -1 },
  isPopular: true,
  onRequest: false,
  hierarchy: 2,
}

/** Messages by path. */
function problems(change: Partial<PlanForm>): Record<string, string> {
  const { error } = planSchema.safeParse({ ...form, ...change })
  return Object.fromEntries(error?.issues.map(({ path, message }) => [path.join('.'), message]) ?? [])
}

describe('what the form checks', () => {
  test('a whole plan passes', () => {
    expect(problems({})).toEqual({})
  })
  test('everything that an empty form lacks is named at once', () => {
    const { error } = planSchema.safeParse(emptyPlan)
    const names = error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    expect(names).toEqual(
      [
        'displayName',
        'description',
        'monthlyPrice',
        'quarterlyPrice',
        'yearlyPrice',
        'limits.maxUsers',
        'limits.maxBeeping',
      ].map((name) => `${name}: Campo obrigatório`),
    )
  })
  test('limits are whole numbers or unlimited', () => {
    expect(problems({ limits: { maxUsers: 2.5, maxBeeping: -2 } })).toEqual({
      'limits.maxUsers': 'Valor inválido',
      'limits.maxBeeping': 'O mínimo é 0',
    })
    expect(problems({ limits: { maxUsers: -1, maxBeeping: -1 } })).toEqual({})
  })
  test('a number outside its bounds is told the bound', () => {
    expect(problems({ limits: { maxUsers: 0, maxBeeping: 0 } })).toEqual({ 'limits.maxUsers': 'O mínimo é 1' })
    expect(problems({ limits: { maxUsers: 1_000_001, maxBeeping: 0 }, hierarchy: 0 })).toEqual({
      'limits.maxUsers': 'O máximo é 1.000.000',
      hierarchy: 'O mínimo é 1',
    })
    expect(problems({ monthlyPrice: 1_000_000 })).toEqual({ monthlyPrice: 'O máximo é R$\u00a0999.999,99' })
  })
  test('a free plan costs nothing in any cycle, one sold by talking may', () => {
    expect(Object.keys(problems({ monthlyPrice: 0 }))).toEqual(['quarterlyPrice', 'yearlyPrice'])
    expect(problems({ monthlyPrice: 0, onRequest: true })).toEqual({})
    expect(problems({ monthlyPrice: 0, quarterlyPrice: 0, yearlyPrice: 0 })).toEqual({})
  })
  test('a feature without words is refused', () => {
    expect(problems({ features: [{ text: 'Painel' }, { text: '  ' }] })).toEqual({
      'features.1.text': 'Campo obrigatório',
    })
  })
})

test('what is sent is trimmed and says whether the plan is free', () => {
  expect(requestOf(form)).toEqual({
    displayName: 'Plano Ágil',
    description: 'Para quem começa.',
    monthlyPrice: 49.9,
    quarterlyPrice: 127.25,
    yearlyPrice: 449.1,
    features: ['Painel', 'Suporte'],
    limits: { maxUsers: 10, maxBeeping: -1 },
    isPopular: true,
    isFree: false,
    hierarchy: 2,
  })
})

test('free is a monthly price of 0 unless sold by talking', () => {
  expect(isFree({ monthlyPrice: 0, onRequest: false })).toBe(true)
  expect(isFree({ monthlyPrice: 0, onRequest: true })).toBe(false)
  expect(isFree({ monthlyPrice: null, onRequest: false })).toBe(false)
})

test('a plan goes through the form unchanged', () => {
  const sent = requestOf(form)
  expect(requestOf(formOf({ ...sent, id: 'p', name: 'plano-agil', status: 'active', activeSubscriptions: 3 }))).toEqual(
    sent,
  )
})

test.each([
  ['Plano Ágil', 'plano-agil'],
  ['  Essencial   Plus ', 'essencial-plus'],
  ['ÇÃO', 'cao'],
  ['', ''],
])('the slug of %j is %j', (name, slug) => {
  expect(slugOf(name)).toBe(slug)
})

test('the usual discounts are rounded once, half away from zero', () => {
  expect(discounted(49.9)).toEqual({ quarterlyPrice: 127.25, yearlyPrice: 449.1 })
  expect(discounted(99.9)).toEqual({ quarterlyPrice: 254.75, yearlyPrice: 899.1 })
  expect(discounted(0.01)).toEqual({ quarterlyPrice: 0.03, yearlyPrice: 0.09 })
})
