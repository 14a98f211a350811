import { describe, expect, test } from 'vitest'
import file from '../../../core/tests/vectors/savings.json'
import { toMinor, toReais } from './money'
import {
  allFeatures,
  choiceFor,
  cycleLabel,
  cyclePrice,
  isContactSales,
  isCycle,
  lostFeatures,
  savingOf,
  type CurrentPlan,
  offerLines,
  planForBeeping,
} from './plans'
import type { BillingCycle as Cycle } from './labels'

const plan = (monthly: number, quarterly: number, yearly: number, isFree = monthly === 0) => ({
  id: `p${monthly}`,
  isFree,
  monthlyPrice: monthly,
  quarterlyPrice: quarterly,
  yearlyPrice: yearly,
})

const essential = plan(49.9, 127.25, 449.1)
const professional = plan(99.9, 254.75, 899.1)
const free = plan(0, 0, 0)
const enterprise = plan(0, 0, 0, false)

describe('savings vectors', () => {
  test('the file is the whole file', () => expect(file.cases.length).toBeGreaterThanOrEqual(16))
  test.each(file.cases)('$name', ({ input, expected }) => {
    const prices = plan(toReais(input.monthly), toReais(input.quarterly), toReais(input.yearly))
    for (const cycle of ['quarterly', 'yearly'] as const) {
      const found = savingOf(prices, cycle)
      expect(
        found && {
          saving: toMinor(found.saving),
          percent: found.percent,
          perMonth: toMinor(found.perMonth),
        },
      ).toEqual(expected[cycle])
    }
  })
})

describe('plan cards', () => {
  test('a cycle is one of three words', () => {
    expect(isCycle('yearly')).toBe(true)
    expect(isCycle('weekly')).toBe(false)
    expect(isCycle(null)).toBe(false)
  })
  test('the price is the price of the whole cycle', () => {
    expect((['monthly', 'quarterly', 'yearly'] as Cycle[]).map((c) => cyclePrice(essential, c))).toEqual([
      49.9, 127.25, 449.1,
    ])
  })
  test('a discount label is shown only when a plan reaches it', () => {
    expect(cycleLabel([free, essential], 'quarterly')).toBe('-15%')
    expect(cycleLabel([free, essential], 'yearly')).toBe('-25%')
    expect(cycleLabel([free, essential], 'monthly')).toBeNull()
    expect(cycleLabel([plan(10, 27, 100)], 'yearly')).toBeNull()
    expect(cycleLabel([enterprise], 'yearly')).toBeNull()
  })
  test('a paid plan of price 0 is sold by talking', () => {
    expect(isContactSales(enterprise, 'monthly')).toBe(true)
    expect(isContactSales(free, 'monthly')).toBe(false)
  })
  test('so is a paid plan without a monthly price, whatever its other cycles cost, as at the server', () => {
    const onRequest = plan(0, 300, 1_000, false)
    for (const cycle of ['monthly', 'quarterly', 'yearly'] as const) {
      expect(choiceFor(onRequest, cycle, null)).toBe('contact')
      expect(savingOf(onRequest, cycle)).toBeNull()
    }
  })
})

describe('features compared', () => {
  const basic = { displayName: 'Grátis', features: ['Painel'] }
  const better = { displayName: 'Essencial', features: ['Tudo do plano Grátis', 'Histórico'] }
  const best = { displayName: 'Negócio', features: ['Tudo do plano Essencial', 'Painel', 'Telefone'] }
  test('a plan has what the plans have that it names', () => {
    expect(allFeatures(best, [basic, better, best])).toEqual(['Painel', 'Histórico', 'Telefone'])
  })
  test('a plan that is not on sale is a feature of its own', () => {
    expect(allFeatures(better, [better])).toEqual(['Tudo do plano Grátis', 'Histórico'])
  })
  test('what a smaller plan lacks is named without what it inherits', () => {
    expect(lostFeatures(best, better, [basic, better, best])).toEqual(['Telefone'])
    expect(lostFeatures(best, basic, [basic, better, best])).toEqual(['Histórico', 'Telefone'])
    expect(lostFeatures(basic, best, [basic, better, best])).toEqual([])
  })
  test('plans that name each other end', () => {
    const one = { displayName: 'Um', features: ['Tudo do plano Dois', 'a'] }
    const two = { displayName: 'Dois', features: ['Tudo do plano Um', 'b'] }
    expect(allFeatures(one, [one, two])).toEqual(['b', 'a'])
    expect(allFeatures(one, [one])).toEqual(['Tudo do plano Dois', 'a'])
  })
})

describe('the button of a plan card', () => {
  const current = (of: typeof essential, billingCycle: Cycle): CurrentPlan => ({
    planId: of.id,
    billingCycle,
    price: of.monthlyPrice,
    plan: of,
  })

  test('without a subscription every plan on sale can be subscribed', () => {
    expect(choiceFor(essential, 'monthly', null)).toBe('subscribe')
    expect(choiceFor(enterprise, 'monthly', null)).toBe('contact')
  })
  test('the current plan and cycle is the current one', () => {
    expect(choiceFor(essential, 'monthly', current(essential, 'monthly'))).toBe('current')
    expect(choiceFor(essential, 'yearly', current(essential, 'monthly'))).toBe('cycle')
    expect(choiceFor(free, 'yearly', current(free, 'monthly'))).toBe('current')
  })
  test('a plan that was free when it was chosen, and has a price now, can be bought', () => {
    const before = { ...current(essential, 'monthly'), price: 0 }
    for (const cycle of ['monthly', 'yearly'] as const) expect(choiceFor(essential, cycle, before)).toBe('upgrade')
  })
  test('direction is decided by the monthly price', () => {
    expect(choiceFor(professional, 'monthly', current(essential, 'yearly'))).toBe('upgrade')
    expect(choiceFor(essential, 'yearly', current(professional, 'monthly'))).toBe('downgrade')
    expect(choiceFor(free, 'yearly', current(essential, 'yearly'))).toBe('downgrade')
    expect(choiceFor(essential, 'monthly', current(free, 'monthly'))).toBe('upgrade')
  })
  test('between free and paid it is decided by what the company pays, not by what its plan costs by now', () => {
    const becameFree = { ...current(essential, 'monthly'), plan: free }
    expect(choiceFor(free, 'monthly', becameFree)).toBe('downgrade')
    const gotPrice = { ...current(professional, 'monthly'), price: 0 }
    expect(choiceFor(essential, 'monthly', gotPrice)).toBe('upgrade')
    expect(choiceFor(free, 'monthly', gotPrice)).toBe('other')
  })
  test('at the same monthly price the longer cycle is the upgrade and the same one is a plain change', () => {
    const twin = { ...essential, id: 'twin' }
    expect(choiceFor(twin, 'yearly', current(essential, 'quarterly'))).toBe('upgrade')
    expect(choiceFor(twin, 'monthly', current(essential, 'quarterly'))).toBe('downgrade')
    expect(choiceFor(twin, 'quarterly', current(essential, 'quarterly'))).toBe('other')
    expect(choiceFor({ ...free, id: 'free 2' }, 'yearly', current(free, 'monthly'))).toBe('other')
  })
})

describe('what the card of a plan promises', () => {
  test('begins with all of the plan below it', () => {
    const features = ['Suporte prioritário', 'Tudo do plano Essencial']
    expect(offerLines({ maxUsers: 50, maxBeeping: -1 }, features)).toEqual([
      'Tudo do plano Essencial',
      'Até 50 usuários',
      'Bipagens ilimitadas',
      'Suporte prioritário',
    ])
  })
  test('has no upper limit where nothing is allowed', () => {
    expect(offerLines({ maxUsers: 0, maxBeeping: 0 }, [])).toEqual(['Nenhum usuário', 'Nenhuma bipagem por mês'])
  })
})

test('the plan for an amount of readings is the first that allows them', () => {
  const plans = [500, 90_000, -1].map((maxBeeping) => ({ limits: { maxBeeping } }))
  expect(planForBeeping(plans, 500)).toBe(plans[0])
  expect(planForBeeping(plans, 90_000)).toBe(plans[1])
  expect(planForBeeping(plans, 90_001)).toBe(plans[2])
  expect(planForBeeping(plans.slice(0, 2), 90_001)).toBeUndefined()
})
