import { expect, test } from 'vitest'
import { readSort, writeSort } from './data-table'

test('a minus turns the order, in the address and back', () => {
  expect(readSort('-createdAt', 'name')).toEqual({ key: 'createdAt', descending: true })
  expect(readSort('name', '-createdAt')).toEqual({ key: 'name', descending: false })
  expect(readSort(null, '-createdAt')).toEqual({ key: 'createdAt', descending: true })
  for (const text of ['name', '-mrr']) expect(writeSort(readSort(text, ''))).toBe(text)
})
