import { describe, expect, test } from 'vitest'
import file from '../../test/vectors/money.json'
import {
  decimalsOf,
  estimateFee,
  formatCompactReais,
  formatMinor,
  formatReais,
  roundHalf,
  toMinor,
  toReais,
} from './money'

interface Input {
  op: string
  n?: number
  d?: number
  cents?: number
}

function answer(input: Input): unknown {
  switch (input.op) {
    case 'rh':
      return roundHalf(input.n!, input.d!)
    case 'toWire':
      return JSON.stringify(toReais(input.cents!))
    case 'formatBRL':
      return formatMinor(input.cents!)
    case 'feeEstimate':
      return estimateFee(input.cents!)
    default:
      throw new Error(`unknown op ${input.op}`)
  }
}

describe('money vectors', () => {
  test('the file is the whole file', () => expect(file.cases.length).toBeGreaterThanOrEqual(52))
  test.each(file.cases as { name: string; input: Input; expected: unknown }[])('$name', ({ input, expected }) => {
    expect(answer(input)).toEqual(expected)
  })
})

describe('money', () => {
  test('zero-decimal currencies are shown without cents', () => {
    expect(decimalsOf('jpy')).toBe(0)
    expect(formatMinor(500, 'jpy')).toBe('JP¥\u00a0500')
  })
  test('reais and minor units convert without losing a centavo', () => {
    for (let cents = 0; cents <= 200_000; cents += 7) expect(toMinor(toReais(cents))).toBe(cents)
    expect(toMinor(999_999.99)).toBe(99_999_999)
    expect(formatReais(1234.56)).toBe('R$\u00a01.234,56')
  })
  test('large values are short on cards', () => expect(formatCompactReais(12_345)).toBe('R$\u00a012,3\u00a0mil'))
})
