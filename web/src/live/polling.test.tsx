// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { useQuery } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../test/cache'
import { renderWith } from '../../test/render'
import { usePolling } from './polling'
import { setLiveStatus } from './status'

const read = vi.fn(async () => 'read')

function Page() {
  usePolling()
  return useQuery({ queryKey: ['shown'], queryFn: read }).data
}

/** How often the page has read again by then, in seconds after its opening. */
const pollsAt = async (seconds: number) => {
  await act(() => vi.advanceTimersByTimeAsync(seconds * 1_000 - performance.now()))
  return read.mock.calls.length - 1
}

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  vi.spyOn(Math, 'random').mockReturnValue(0.4)
})
afterEach(() => {
  act(() => setLiveStatus({ connection: 'off' }))
})

test('tabs that are not live read after 5 s, at a moment of their own, and then every 15 s', async () => {
  renderWith(emptyCache(), <Page />)
  expect(await pollsAt(4)).toBe(0)
  expect(await pollsAt(5)).toBe(1)
  expect(await pollsAt(10)).toBe(1)
  expect(await pollsAt(11)).toBe(2)
  expect(await pollsAt(25)).toBe(2)
  expect(await pollsAt(26)).toBe(3)
  act(() => setLiveStatus({ connection: 'live' }))
  expect(await pollsAt(60)).toBe(3)
})
