import { describe, expect, test } from 'vitest'
import file from '../../../core/tests/vectors/cards.json'
import {
  cardBrand,
  cardDigits,
  cvcLength,
  formatCard,
  formatExpiry,
  isCardNumber,
  isExpired,
  passesLuhn,
  readExpiry,
} from './card'

interface Input {
  op: string
  number?: string
  text?: string
}

function answer(input: Input): unknown {
  switch (input.op) {
    case 'brand':
      return cardBrand(input.number!)
    case 'luhn':
      return passesLuhn(input.number!)
    case 'format':
      return formatCard(input.text!)
    case 'valid':
      return isCardNumber(input.text!)
    default:
      throw new Error(`unknown op ${input.op}`)
  }
}

describe('card vectors', () => {
  test('the file is the whole file', () => expect(file.cases.length).toBeGreaterThanOrEqual(93))
  test.each(file.cases as { name: string; input: Input; expected: unknown }[])('$name', ({ input, expected }) => {
    expect(answer(input)).toEqual(expected)
  })
})

describe('card entry', () => {
  test('typed text is reduced to at most 19 digits', () => expect(cardDigits('4242 4242-x'.repeat(4))).toHaveLength(19))
  test('the expiry gets its slash while typing', () => {
    expect(formatExpiry('1')).toBe('1')
    expect(formatExpiry('1230')).toBe('12/30')
    expect(formatExpiry('12/305')).toBe('12/30')
  })
  test('the year of an expiry may be filled in with its century', () => {
    expect(formatExpiry('12/2030')).toBe('12/30')
    expect(formatExpiry('12/20')).toBe('12/20')
  })
  test('an expiry is a month and a year', () => {
    expect(readExpiry('12/30')).toEqual({ month: 12, year: 2030 })
    expect(readExpiry('1230')).toEqual({ month: 12, year: 2030 })
    expect(readExpiry('13/30')).toBeNull()
    expect(readExpiry('00/30')).toBeNull()
    expect(readExpiry('1/30')).toBeNull()
  })
  test('a card is good through its month', () => {
    const today = { month: 11, year: 2026 }
    expect(isExpired({ month: 11, year: 2026 }, today)).toBe(false)
    expect(isExpired({ month: 10, year: 2026 }, today)).toBe(true)
    expect(isExpired({ month: 12, year: 2025 }, today)).toBe(true)
    expect(isExpired({ month: 1, year: 2027 }, today)).toBe(false)
  })
  test('American Express has four digits of security code', () => {
    expect(cvcLength('amex')).toBe(4)
    expect(cvcLength('elo')).toBe(3)
    expect(cvcLength(null)).toBe(3)
  })
})
