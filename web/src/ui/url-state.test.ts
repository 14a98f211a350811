import { expect, test } from 'vitest'
import { oneOf, readPage, withChange } from './url-state'

test('empty values leave the address, the rest stays', () => {
  const next = withChange(new URLSearchParams('search=ana&page=3'), { page: '', role: 'admin' })
  expect(next.toString()).toBe('search=ana&role=admin')
})

test.each([
  [null, 1],
  ['', 1],
  ['0', 1],
  ['-2', 1],
  ['1.5', 1],
  ['abc', 1],
  ['7', 7],
  ['1000001', 1_000_000],
])('the page %j is %d', (text, page) => {
  expect(readPage(text)).toBe(page)
})

test('a word outside its set is no filter', () => {
  expect(oneOf({ active: 'Ativo' }, 'active')).toBe('active')
  expect(oneOf({ active: 'Ativo' }, 'toString')).toBeUndefined()
  expect(oneOf({ active: 'Ativo' }, null)).toBeUndefined()
})
