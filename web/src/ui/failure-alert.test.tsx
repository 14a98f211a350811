// @vitest-environment happy-dom
import { act, render, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { Announcer } from './announcer'
import { FailureAlert } from './failure-alert'

beforeEach(() => void vi.useFakeTimers())

test('a rate limit is announced once, and not with each second', async () => {
  const failure = { code: 'RATE_LIMITED', sentence: 'Muitas tentativas. Tente novamente em 30 s.', retryAfter: 30 }
  render(
    <>
      <FailureAlert title="Erro ao criar empresa" failure={failure} />
      <Announcer />
    </>,
  )
  await act(() => vi.advanceTimersByTimeAsync(10_000))
  screen.getByText('Muitas tentativas. Tente novamente em 20 s.')
  expect(screen.getByRole('status').textContent).toBe(`Erro ao criar empresa. ${failure.sentence}`)
})

test('it stands where it is placed, and nothing stands there once the wait is over', async () => {
  const failure = { code: 'RATE_LIMITED', sentence: 'Muitas tentativas. Tente novamente em 30 s.', retryAfter: 30 }
  const { container } = render(<FailureAlert className="mt-4" failure={failure} />)
  expect(container.firstElementChild?.className).toContain('mt-4')
  await act(() => vi.advanceTimersByTimeAsync(30_000))
  expect(container.childElementCount).toBe(0)
})

test('a clock that is set back meanwhile prolongs no wait', async () => {
  const failure = { code: 'RATE_LIMITED', sentence: 'Muitas tentativas. Tente novamente em 30 s.', retryAfter: 30 }
  render(<FailureAlert failure={failure} />)
  await act(() => vi.advanceTimersByTimeAsync(10_000))
  vi.setSystemTime(Date.now() - 3_600_000)
  await act(() => vi.advanceTimersByTimeAsync(5_000))
  screen.getByText('Muitas tentativas. Tente novamente em 15 s.')
})
