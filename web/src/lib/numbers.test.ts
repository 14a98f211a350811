import { expect, test } from 'vitest'
import { formatNumber, parseNumber } from './numbers'

test.each([
  ['59,90', 59.9],
  ['59,9', 59.9],
  ['59,', 59],
  ['59.90', 59.9],
  ['1.234,5', 1234.5],
  ['1234,56', 1234.56],
  ['1.234', 1234],
  ['R$ 1.234,56', 1234.56],
  [' 7 ', 7],
  ['0', 0],
  ['', null],
  ['abc', null],
  ['-1', null],
  ['1,234', null],
  ['1.34,50', 134.5],
  ['1.23.4', 1234],
  ['1,2,3', null],
])('%j reais are %j', (text, value) => {
  expect(parseNumber(text, 2)).toBe(value)
})

test.each([
  ['10', 10],
  ['1.000', 1000],
  ['1,5', null],
  ['2.5', 25],
])('%j as a whole number is %j', (text, value) => {
  expect(parseNumber(text, 0)).toBe(value)
})

test('what is shown is read back as it was', () => {
  for (const value of [0, 0.01, 59.9, 1234.5, 999_999.99]) expect(parseNumber(formatNumber(value, 2), 2)).toBe(value)
  for (const value of [0, 7, 1_000_000]) expect(parseNumber(formatNumber(value, 0), 0)).toBe(value)
  expect(formatNumber(1234.5, 2)).toBe('1.234,50')
  expect(formatNumber(null, 2)).toBe('')
})
