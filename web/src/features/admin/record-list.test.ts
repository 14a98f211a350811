// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { listingOf } from './record-list'

function listing(address: string) {
  const search = new URLSearchParams(address)
  const set = vi.fn()
  const url = { get: (name: string) => search.get(name), set, page: 3, setPage: vi.fn() }
  return { set, ...listingOf(url, ['name', 'createdAt'], { status: search.get('status') ?? undefined }) }
}

test('an empty address asks for the newest records', () => {
  const { request, isFiltered } = listing('')
  expect(request).toEqual({ search: '', sort: '-createdAt', status: undefined, page: 3, limit: 10 })
  expect(isFiltered).toBe(false)
})

test('the address says what is searched, filtered and sorted', () => {
  const { request, sort, isFiltered } = listing('search=ana&status=active&sort=name')
  expect(request).toMatchObject({ search: 'ana', status: 'active', sort: 'name' })
  expect(sort).toEqual({ key: 'name', descending: false })
  expect(isFiltered).toBe(true)
})

test('no more is searched for than the server takes', () => {
  expect(listing(`search=${'a'.repeat(200)}`).request.search).toBe('a'.repeat(100))
})

test('a column that the server cannot sort by is left out', () => {
  expect(listing('sort=-status').request.sort).toBe('-createdAt')
})

test('every change begins at the first page, and clearing keeps the order', () => {
  const { set, change, clear } = listing('search=ana&status=active&sort=name')
  change({ status: 'inactive' })
  expect(set).toHaveBeenLastCalledWith({ status: 'inactive', page: '' })
  clear()
  expect(set).toHaveBeenLastCalledWith({ search: '', status: '', page: '' })
})
