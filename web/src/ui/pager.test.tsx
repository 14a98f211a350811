// @vitest-environment happy-dom
import { act, fireEvent, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { Announcer } from './announcer'
import { LoadMore } from './pager'

const list = { hasNextPage: true, isFetchingNextPage: false, isFetchNextPageError: false, error: null }
const lost = Object.assign(new Error('lost'), { code: 'NETWORK_ERROR', sentence: 'Erro de conexão' })
const button = () => screen.getByRole('button', { name: 'Carregar mais' })

test('a page that does not come is said under the list, and may be asked for again', () => {
  const fetchNextPage = vi.fn()
  render(<LoadMore query={{ ...list, isFetchNextPageError: true, error: lost, fetchNextPage }} />)
  screen.getByText('Erro de conexão')
  fireEvent.click(button())
  expect(fetchNextPage).toHaveBeenCalledOnce()
})

test('a page that fails again is said again', async () => {
  vi.useFakeTimers()
  const spoken: (string | null)[] = []
  const hear = async () => {
    await act(() => vi.advanceTimersByTimeAsync(5_000))
    spoken.push(screen.getByRole('status').textContent)
  }
  const show = (isFetchingNextPage: boolean) => (
    <>
      <Announcer />
      <LoadMore
        query={{ ...list, isFetchNextPageError: true, isFetchingNextPage, error: lost, fetchNextPage: vi.fn() }}
      />
    </>
  )
  const { rerender } = render(show(false))
  await hear()
  rerender(show(true))
  rerender(show(false))
  await hear()
  // The announcer marks what it says again: a live region speaks of changes alone.
  expect(spoken).toEqual(['Erro de conexão', 'Erro de conexão\u00a0'])
})

test('a page that was asked for too often is held back', () => {
  const fetchNextPage = vi.fn()
  const error = Object.assign(new Error('429'), { code: 'RATE_LIMITED', sentence: 'Espere 30 s', retryAfter: 30 })
  render(<LoadMore query={{ ...list, isFetchNextPageError: true, error, fetchNextPage }} />)
  fireEvent.click(button())
  expect(fetchNextPage).not.toHaveBeenCalled()
})

test('what failed when the whole list was read again is not said here', () => {
  render(<LoadMore query={{ ...list, error: lost, fetchNextPage: vi.fn() }} />)
  expect(screen.queryByText(/^Erro/)).toBeNull()
})
