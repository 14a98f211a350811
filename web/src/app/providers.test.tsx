// @vitest-environment happy-dom
import { act, cleanup, render } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { forgetPause, liveStatus, setLiveStatus } from '../live/status'
import { session } from '../auth/use-session'
import { Providers, queries } from './providers'

afterEach(() => {
  cleanup()
  forgetPause()
  queries.clear()
})

test('a pause ends with the session', () => {
  const user = { id: 'u1', userName: 'Maria', userEmail: 'maria@exemplo.com.br', userRole: 'user' as const }
  session.signIn(user, { accessToken: 'a', refreshToken: 'r', expiresIn: 900 })
  vi.stubGlobal('fetch', () => new Promise(() => undefined))
  render(<Providers>{null}</Providers>)
  setLiveStatus({ paused: true, waiting: 3 })
  act(() => session.expire())
  expect(liveStatus.get()).toMatchObject({ paused: false, waiting: 0 })
  vi.unstubAllGlobals()
})
