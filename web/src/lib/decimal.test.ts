import { describe, expect, it, test } from 'vitest'
import { formatBRL, formatCompact, formatCompactReais, formatCount, formatDecimal } from './decimal'

const sizes = [
  0, 0.05, 0.5, 1, 1.005, 1.25, 2.45, 9.95, 49.9, 99.95, 100, 449.1, 999.5, 999.94, 999.95, 999.994, 999.995,
]
const larger = [
  1000, 1049.99, 1234.56, 9999.5, 12_345, 99_949, 99_950, 999_499, 999_950, 1_234_567.891, 25e6, 1e9, 8.25e11,
]
const walk = Array.from({ length: 2_000 }, (_, step) => Math.round(1.013 ** step * 100) / 100).filter((n) => n < 1e11)
const values = [...sizes, ...larger, ...walk].flatMap((size) => (size === 0 ? [0] : [size, -size]))

type Options = Intl.NumberFormatOptions
const brl: Options = { style: 'currency', currency: 'BRL' }
const compact: Options = { notation: 'compact', maximumFractionDigits: 1 }

test('a number that is written with an exponent has no fraction to round', () => {
  expect(formatDecimal(1e19, 2)).toBe('10.000.000.000.000.000.000,00')
  expect([1e21, 1e22].map((value) => formatDecimal(value, 2))).not.toContain('NaN,00')
})

describe('numbers by hand read as those of the library', () => {
  it.each<[string, (value: number) => string, Options]>([
    [
      'counts',
      (value) => formatCount(Math.trunc(value)),
      { maximumFractionDigits: 0, roundingMode: 'trunc' } as Options,
    ],
    ['one place', (value) => formatDecimal(value, 0, 1), { maximumFractionDigits: 1 }],
    ['up to two places', (value) => formatDecimal(value, 0, 2), { maximumFractionDigits: 2 }],
    ['two places', (value) => formatDecimal(value, 2), { minimumFractionDigits: 2, maximumFractionDigits: 2 }],
    ['money', formatBRL, brl],
    ['short', formatCompact, compact],
    ['short money', formatCompactReais, { ...brl, ...compact, minimumFractionDigits: 0 }],
  ])('%s', (_, format, options) => {
    const library = new Intl.NumberFormat('pt-BR', options)
    // What is rounded to nothing has no sign here.
    const expected = (value: number) => library.format(value).replace(/^-(?=[^1-9]*$)/, '')
    expect(values.map(format)).toEqual(values.map(expected))
  })
})
