// @vitest-environment happy-dom
import { act, fireEvent, render, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import IdleGuard from './idle-guard'
import { session } from './use-session'

const MINUTE = 60_000

let lastActivity = 0

beforeEach(() => {
  vi.useFakeTimers()
  lastActivity = Date.now()
  vi.spyOn(session, 'lastActivity').mockImplementation(() => lastActivity)
  vi.spyOn(session, 'signOut').mockResolvedValue()
  vi.spyOn(session, 'markActivity').mockImplementation(() => {
    lastActivity = Date.now()
  })
})

test('a session that was left alone for over an hour ends at once and is not asked about', () => {
  lastActivity -= 61 * MINUTE
  render(<IdleGuard />)
  expect(session.signOut).toHaveBeenCalledExactlyOnceWith('expired')
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

test('in its last minute the session is kept by the button', () => {
  lastActivity -= 59.5 * MINUTE
  render(<IdleGuard />)
  fireEvent.click(screen.getByRole('button', { name: 'Continuar conectado' }))
  expect(session.markActivity).toHaveBeenCalledOnce()
  expect(session.signOut).not.toHaveBeenCalled()
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

test('the button of a dialog that outlived the hour ends the session', () => {
  lastActivity -= 59.5 * MINUTE
  render(<IdleGuard />)
  // No timer runs while the machine sleeps.
  act(() => void vi.setSystemTime(Date.now() + 5 * MINUTE))
  fireEvent.click(screen.getByRole('button', { name: 'Continuar conectado' }))
  expect(session.signOut).toHaveBeenCalledExactlyOnceWith('expired')
  expect(session.markActivity).not.toHaveBeenCalled()
})

test('activity that a clock was ahead of does not keep the session for longer than an hour', () => {
  lastActivity += 24 * 60 * MINUTE
  render(<IdleGuard />)
  act(() => void vi.advanceTimersByTime(59.5 * MINUTE))
  expect(screen.getByRole('button', { name: 'Continuar conectado' })).toBeTruthy()
  act(() => void vi.advanceTimersByTime(MINUTE))
  expect(session.signOut).toHaveBeenCalledWith('expired')
})
