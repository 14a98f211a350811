// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { announce, Announcer } from './announcer'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const wait = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds))

test('what comes within five seconds is said together, and goes on being said when the clock was set back', async () => {
  render(<Announcer />)
  announce('Salvo')
  await wait(5_000)
  expect(screen.getByRole('status').textContent).toBe('Salvo')
  announce('Copiado')
  announce('Enviado')
  await wait(0)
  expect(screen.getByRole('status').textContent).toBe('Copiado. Enviado')
  vi.setSystemTime(Date.now() - 3_600_000)
  announce('Pago')
  await wait(5_000)
  expect(screen.getByRole('status').textContent).toBe('Pago')
})
