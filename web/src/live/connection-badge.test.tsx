// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { ConnectionBadge } from './connection-badge'
import { liveControls } from './controls'

afterEach(() => {
  cleanup()
  liveControls.set(null)
})

test('while the code of the connection is missing, nothing is offered that only it can do', () => {
  const reconnect = vi.fn()
  render(<ConnectionBadge />)
  fireEvent.click(screen.getByRole('button', { name: /^Conexão:/ }))
  const [again, pause] = ['Reconectar agora', 'Pausar atualizações'].map((name) =>
    screen.getByRole<HTMLButtonElement>('button', { name }),
  )
  expect([again?.disabled, pause?.disabled]).toEqual([true, true])
  act(() => liveControls.set({ reconnect, pause: vi.fn(), resume: vi.fn() }))
  expect([again?.disabled, pause?.disabled]).toEqual([false, false])
  if (again) fireEvent.click(again)
  expect(reconnect).toHaveBeenCalledOnce()
})
