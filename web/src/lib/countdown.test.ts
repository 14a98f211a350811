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

test('a wait is in words, because it may stand still or be read aloud', () => {
  expect([42, 89, 90, 360, 3599].map(formatWait)).toEqual(['42 s', '89 s', '1 min 30 s', '6 min', '59 min 59 s'])
  expect([3600, 28_790, 25_260].map(formatWait)).toEqual(['1 h', '8 h', '7 h 1 min'])
})
