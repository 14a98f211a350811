import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { csvAmount, csvOf } from './csv'

test('cells are parted by semicolons and numbers have a decimal comma', () => {
  expect(
    csvOf(
      ['Mês', 'MRR'],
      [
        ['01/2026', 1234.5],
        ['02/2026', null],
      ],
    ),
  ).toBe('Mês;MRR\r\n01/2026;1234,5\r\n02/2026;')
})

test('a negative number stays a number', () => {
  expect(csvOf(['Variação'], [[-4.2]])).toBe('Variação\r\n-4,2')
})

test('an amount below zero that was written as text stays a number', () => {
  expect(csvOf(['Total'], [['-9,90'], ['-9'], ['-9+1'], ['-9,90,1']])).toBe("Total\r\n-9,90\r\n-9\r\n'-9+1\r\n'-9,90,1")
})

test('an amount has both decimals', () => {
  expect([123456, 9990, 100000, 0, -990].map(csvAmount)).toEqual(['1234,56', '99,90', '1000,00', '0,00', '-9,90'])
})

const server = readFileSync(new URL('../../../core/src/csv.rs', import.meta.url), 'utf8')
const [, listed = ''] = /const FORMULA: .* = \[(.*)\];/.exec(server) ?? []
/** What the server's files guard against; a character that is written as an escape is one here too. */
const beginnings = Array.from(listed.matchAll(/'(\\?.)'/gu), ([, sign = '']) => JSON.parse(`"${sign}"`) as string)

test('the server names the characters that begin a formula', () => {
  expect(beginnings).toEqual(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])
})

test.each(beginnings)('no text starts a formula with %j', (sign) => {
  const cell = csvOf(['a'], [[`${sign}x`]]).slice('a\r\n'.length)
  expect(cell.replace(/^"/, '')).toBe(`'${sign}x${/[\r\n]/.test(sign) ? '"' : ''}`)
})

test('quotes, semicolons and line breaks are quoted', () => {
  expect(csvOf(['a;b'], [['disse "oi"'], ['linha\nnova']])).toBe('"a;b"\r\n"disse ""oi"""\r\n"linha\nnova"')
})
