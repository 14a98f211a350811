// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Announcer } from './announcer'
import { useFound } from './list-filters'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

function List({ search, page = 1, found }: { search: string; page?: number; found: string | undefined }) {
  useFound({ search }, page, found)
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
