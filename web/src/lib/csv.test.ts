import { expect, test } from 'vitest'
import { csvOf } from './csv'

test('cells are parted by semicolons and numbers have a decimal comma', () => {
  expect(
    csvOf(
      ['Mês', 'MRR'],
      [
        ['jan/26', 1234.5],
        ['fev/26', null],
      ],
    ),
  ).toBe('Mês;MRR\r\njan/26;1234,5\r\nfev/26;')
})

test('a negative number stays a number', () => {
  expect(csvOf(['Variação'], [[-4.2]])).toBe('Variação\r\n-4,2')
})

test('an amount below zero that was written as text stays a number', () => {
  expect(csvOf(['Total'], [['-9,90'], ['-9'], ['-9+1'], ['-9,90,1']])).toBe("Total\r\n-9,90\r\n-9\r\n'-9+1\r\n'-9,90,1")
})

test('no text starts a formula', () => {
  expect(csvOf(['a'], [['=1+1'], ['+55 11'], ['-x'], ['@x'], ['\tx']])).toBe(
    "a\r\n'=1+1\r\n'+55 11\r\n'-x\r\n'@x\r\n'\tx",
  )
})

test('quotes, semicolons and line breaks are quoted', () => {
  expect(csvOf(['a;b'], [['disse "oi"'], ['linha\nnova']])).toBe('"a;b"\r\n"disse ""oi"""\r\n"linha\nnova"')
})
