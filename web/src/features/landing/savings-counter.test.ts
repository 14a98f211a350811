import { expect, it } from 'vitest'
import { MONTHLY_SAVING, savedAfter } from './savings-counter'

it('counts from nothing to the saving of the example in 200 steps and stays there', () => {
  expect(savedAfter(0)).toBe(0)
  expect(savedAfter(100)).toBe(5700)
  expect(savedAfter(200)).toBe(11_400)
  expect(savedAfter(900)).toBe(MONTHLY_SAVING)
})
