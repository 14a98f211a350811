import { expect, test } from 'vitest'
import { freeTop, type Box } from './toast-place'

const SCREEN = 800
const toast = { left: 462, right: 818, height: 48 }
const box = (left: number, right: number, top: number, bottom: number): Box => ({ left, right, top, bottom })
const place = (taken: Box[], current = 6) => freeTop(toast, taken, SCREEN, current)

test('toasts lie at the top edge between what the header has at both sides', () => {
  expect(place([box(16, 56, 8, 48), box(960, 1000, 8, 48)])).toBe(6)
})

test('toasts lie below the controls that are in the middle of the top', () => {
  expect(place([box(500, 540, 8, 48), box(700, 900, 70, 110)])).toBe(116)
})

test('toasts lie in the first gap that is high enough', () => {
  const rows = [0, 50, 100, 220, 270].map((top) => box(400, 900, top, top + 40))
  expect(place(rows)).toBe(146)
})

test('toasts stay where they are while nothing is below them', () => {
  expect(place([], 146)).toBe(146)
  expect(place([box(500, 540, 150, 190)], 146)).toBe(6)
})

test('where no place is free, toasts cover the least', () => {
  const rows = Array.from({ length: 20 }, (_, row) => box(400, 900, row * 40, row * 40 + (row === 9 ? 10 : 38)))
  expect(place(rows)).toBe(364)
})

test('a screen that is lower than the toasts has them at its top', () => {
  expect(freeTop(toast, [box(0, 900, 0, 40)], 40, 6)).toBe(6)
})
