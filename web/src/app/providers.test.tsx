// @vitest-environment happy-dom
import { act, cleanup, render } from '@testing-library/react'
import { focusManager, useQuery } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { forgetPause, liveStatus, setLiveStatus } from '../live/status'
import { session } from '../auth/use-session'
import { Providers, queries } from './providers'

afterEach(() => {
  cleanup()
  forgetPause()
  queries.clear()
})

async function comeBack() {
  await act(async () => focusManager.setFocused(false))
  await act(async () => focusManager.setFocused(true))
}

test('who comes back to the page reads it again, but not while updates are paused', async () => {
  const read = vi.fn(() => Promise.resolve(1))
  function Shown() {
    return useQuery({ queryKey: ['shown'], queryFn: read, staleTime: 0 }).data
  }
  await act(async () => {
    render(
      <Providers>
        <Shown />
      </Providers>,
    )
  })
  expect(read).toHaveBeenCalledTimes(1)
  await comeBack()
  expect(read).toHaveBeenCalledTimes(2)
  setLiveStatus({ paused: true })
  await comeBack()
  expect(read).toHaveBeenCalledTimes(2)
})

test('a pause ends with the session', () => {
  const user = { id: 'u1', userName: 'Maria', userEmail: 'maria@exemplo.com.br', userRole: 'user' as const }
  session.signIn(user, { accessToken: 'a', refreshToken: 'r', expiresIn: 900 })
  vi.stubGlobal('fetch', () => new Promise(() => undefined))
  render(<Providers>{null}</Providers>)
  setLiveStatus({ paused: true, waiting: 3 })
  act(() => session.expire())
  expect(liveStatus.get()).toMatchObject({ paused: false, waiting: 0 })
})
