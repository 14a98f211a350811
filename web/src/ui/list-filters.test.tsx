// @vitest-environment happy-dom
import { act, render, renderHook, screen } from '@testing-library/react'
import { BrowserRouter } from 'react-router'
import { beforeEach, expect, test, vi } from 'vitest'
import { Announcer } from './announcer'
import { searchOf, useAnnounceFound, useKindFilters } from './list-filters'

beforeEach(() => void vi.useFakeTimers())

function List({ search, page = 1, found }: { search: string; page?: number; found: string | undefined }) {
  useAnnounceFound({ search }, page, found)
  return <Announcer />
}

test('what a filter or a page found is announced once, also when it is nothing', async () => {
  const { rerender } = render(<List search="" found="12 faturas" />)
  const show = async (search: string, found: string | undefined, page = 1) => {
    rerender(<List search={search} page={page} found={found} />)
    await act(() => vi.advanceTimersByTimeAsync(5_000))
    return screen.getByRole('status').textContent
  }
  expect(await show('', '13 faturas')).toBe('')
  expect(await show('pix', undefined)).toBe('')
  expect(await show('pix', 'Nenhuma fatura')).toBe('Nenhuma fatura')
  expect(await show('pix', '1 fatura')).toBe('Nenhuma fatura')
  expect(await show('', '13 faturas', 2)).toBe('13 faturas, página 2')
})

test('no more is searched for than the server takes', () => {
  expect(searchOf({ get: () => 'a'.repeat(200) })).toEqual({ search: 'a'.repeat(100) })
  const begins = `${'a'.repeat(99)}🚚`
  expect(searchOf({ get: () => `${begins}🚚` })).toEqual({ search: begins })
})

test('every change begins at the first page, and clearing keeps the order', () => {
  window.history.replaceState(null, '', '/?search=ana&kind=paid&sort=name&page=3')
  const { result } = renderHook(() => useKindFilters({ paid: true, refunded: true }), { wrapper: BrowserRouter })
  expect(result.current).toMatchObject({ filter: { search: 'ana', kind: 'paid' }, isFiltered: true })
  act(() => result.current.change({ kind: 'refunded' }))
  expect(window.location.search).toBe('?search=ana&kind=refunded&sort=name')
  act(() => result.current.clear())
  expect(window.location.search).toBe('?sort=name')
  expect(result.current).toMatchObject({ filter: {}, isFiltered: false })
})
