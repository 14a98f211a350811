import { expect, test } from 'vitest'
import { formatCountdown, formatWait } from './countdown'

test('a countdown rounds up to whole seconds and stops at zero', () => {
  expect(formatCountdown(1_780_400)).toBe('29:41')
  expect(formatCountdown(59_001)).toBe('1:00')
  expect(formatCountdown(-5)).toBe('0:00')
})

test('a countdown adds hours', () => {
  expect(formatCountdown(3_900_000)).toBe('1:05:00')
})

test('a short wait is in seconds', () => {
  expect([89, 90, 28_800].map(formatWait)).toEqual(['89 s', '1:30', '8:00:00'])
})
