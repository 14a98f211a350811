// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { LoadMore } from './pager'

afterEach(cleanup)

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
