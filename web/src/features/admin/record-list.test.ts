// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { listRequestOf } from './record-list'

function request(address: string) {
  const search = new URLSearchParams(address)
  return listRequestOf({ get: (name) => search.get(name), page: 3 }, ['name', 'createdAt'], { search: 'ana' })
}

test('an address without an order asks for the newest records', () => {
  expect(request('')).toEqual({ search: 'ana', sort: '-createdAt', page: 3, limit: 10 })
})

test('the address says how they are sorted', () => {
  expect(request('sort=name').sort).toBe('name')
  expect(request('sort=-name').sort).toBe('-name')
})

test('a column that the server cannot sort by is left out', () => {
  expect(request('sort=-status').sort).toBe('-createdAt')
})
