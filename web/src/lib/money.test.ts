import { describe, expect, test, vi } from 'vitest'
import file from '../../test/vectors/money.json'
import { decimalsOf, estimateFee, formatMinor, formatReais, roundHalf, toMinor, toReais } from './money'

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
  test('reais are written without the library, however their currency is spelled', () => {
    const library = vi.spyOn(Intl, 'NumberFormat')
    expect([formatMinor(123_456), formatMinor(123_456, 'brl')]).toEqual(['R$\u00a01.234,56', 'R$\u00a01.234,56'])
    expect(library).not.toHaveBeenCalled()
  })
  test('the currencies without cents are those of the provider', () => {
    const whole = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF'.split(' ')
    expect(whole.map(decimalsOf)).toEqual(whole.map(() => 0))
    expect(['brl', 'USD', 'EUR', ''].map(decimalsOf)).toEqual([2, 2, 2, 2])
  })
  test('halves are rounded away from zero, also beyond the exact numbers', () => {
    expect([-3, -1, 0, 1, 3].map((n) => roundHalf(n, 2))).toEqual([-2, -1, 0, 1, 2])
    expect(roundHalf(29n * 9_007_199_254_740_993n, 1000)).toBe(261_208_778_387_489)
  })
  test('reais and minor units convert without losing a centavo', () => {
    const all = Array.from({ length: 28_571 }, (_, step) => step * 7)
    expect(all.filter((cents) => toMinor(toReais(cents)) !== cents)).toEqual([])
    expect(toMinor(999_999.99)).toBe(99_999_999)
    expect(formatReais(1234.56)).toBe('R$\u00a01.234,56')
  })
})
