import { expect, it } from 'vitest'
import { formatCep, parseCep } from './postal'

it('reads a CEP with and without its hyphen, and nothing else', () => {
  for (const typed of ['01310-100', '01310100', ' 01310 100 ', '01310\u2013100', '\u202d01310\u2011100\u202c'])
    expect(parseCep(typed)).toBe('01310100')
  for (const typed of ['', '0131010', '013101000', '0131o100', '00000-000']) expect(parseCep(typed)).toBeNull()
})

it('puts the hyphen in while typing and cuts nothing', () => {
  expect(['', '0131', '01310', '013101', '01310-100'].map(formatCep)).toEqual([
    '',
    '0131',
    '01310',
    '01310-1',
    '01310-100',
  ])
  expect(formatCep('01310\u2013100')).toBe('01310-100')
  expect(formatCep('013101000')).toBe('013101000')
  expect(formatCep('01310-10a')).toBe('01310-10a')
})
