// @vitest-environment happy-dom
import { act, render, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '../api/errors'
import { formatWait } from '../lib/countdown'
import { ResendButton } from './mailed-code'
import { useResend } from './use-resend'
import { session } from './use-session'

const call = vi.fn()

function Shown() {
  return <ResendButton resend={useResend('verify', call)} />
}

beforeEach(() => {
  vi.useFakeTimers()
  sessionStorage.clear()
  call.mockReset()
})

const button = () => screen.getByRole<HTMLButtonElement>('button')
const press = () => act(async () => button().click())
const pass = (seconds: number) => act(() => vi.advanceTimersByTimeAsync(seconds * 1000))
const limit = (retryAfter: number) =>
  call.mockRejectedValueOnce(new ApiError('RATE_LIMITED', { status: 429, retryAfter }))

test('a rate limit is counted down, and no code is asked for before its end', async () => {
  limit(90)
  render(<Shown />)
  await press()
  await pass(30)
  expect(button().textContent).toBe('Reenviar código em 60 s')
  screen.getByText('Muitas tentativas. Tente novamente em 60 s.')
  await press()
  expect(call).toHaveBeenCalledOnce()
  await pass(60)
  expect(button().textContent).toBe('Reenviar código')
  expect(screen.queryByText(/Muitas tentativas/)).toBeNull()
  await press()
  expect(call).toHaveBeenCalledTimes(2)
  screen.getByText('Código enviado com sucesso!')
})

test('a wait of hours is counted down as such', async () => {
  limit(8 * 3600)
  render(<Shown />)
  await press()
  screen.getByText('Muitas tentativas. Tente novamente em 8 h.')
  await pass(60)
  expect(button().textContent).toBe('Reenviar código em 7 h 59 min')
  screen.getByText('Muitas tentativas. Tente novamente em 7 h 59 min.')
})

test('the name of the button, which has the focus, counts in steps of half a minute', async () => {
  limit(90)
  render(<Shown />)
  await press()
  const names = new Set<string | null>()
  for (let second = 0; second < 90; second += 1) {
    names.add(button().getAttribute('aria-label'))
    await pass(1)
  }
  expect([...names]).toEqual([90, 60, 30].map((seconds) => `Reenviar código em ${formatWait(seconds)}`))
  expect(button().hasAttribute('aria-label')).toBe(false)
})

test('of two waits the longer one counts', async () => {
  limit(5)
  render(<Shown />)
  await press()
  act(() => session.markCodeSent('verify'))
  await pass(2)
  expect(button().textContent).toMatch(/em 5[89] s$/)
})

test('the countdown is kept by the tab, for the page that a reload begins', () => {
  session.markCodeSent('verify')
  expect(sessionStorage.getItem('bipe.resend.verify')).not.toBeNull()
  sessionStorage.setItem('bipe.resend.verify', String(Date.now() - 15_000))
  render(<Shown />)
  expect(button().textContent).toBe('Reenviar código em 45 s')
  expect(button().disabled).toBe(true)
})

test('a moment that a clock told before it was set back holds no code back', () => {
  sessionStorage.setItem('bipe.resend.verify', String(Date.now() + 3_600_000))
  render(<Shown />)
  expect(button().textContent).toBe('Reenviar código')
  expect(button().disabled).toBe(false)
})
