import { expect, it } from 'vitest'
import type { Plan } from '../../api/plans'
import { MONTHLY_SAVING, planLine, savedAfter } from './savings-counter'

it('counts from nothing to the saving of the example in 200 steps and stays there', () => {
  expect(savedAfter(0)).toBe(0)
  expect(savedAfter(100)).toBe(5700)
  expect(savedAfter(200)).toBe(11_400)
  expect(savedAfter(900)).toBe(MONTHLY_SAVING)
})

it('names the smallest plan on sale that takes the readings of the example, with its price', () => {
  const plan = (displayName: string, maxBeeping: number, monthlyPrice: number) =>
    ({ displayName, isFree: false, monthlyPrice, limits: { maxUsers: -1, maxBeeping } }) as Plan
  const business = plan('Negócio', 500_000, 199.9)
  const unlimited = plan('Enterprise', -1, 0)
  expect(planLine([plan('Profissional', 50_000, 99.9), business, unlimited])).toBe(
    'São 90.000 bipagens por mês. Plano que cabe: Negócio, R$\u00a0199,90 por mês.',
  )
  expect(planLine([unlimited])).toContain('Enterprise, sob consulta.')
  expect(planLine([])).toBe('')
})
