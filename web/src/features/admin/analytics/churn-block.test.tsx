// @vitest-environment happy-dom
import { render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { ChurnBlock } from './churn-block'

test.each([
  ['2026-11-03T12:00:00Z', 'Parcial: nov/26 ainda não terminou.'],
  ['2026-12-03T12:00:00Z', undefined],
])('at %s the rate of a month that goes on is called partial', (now, said) => {
  vi.useFakeTimers({ now: Date.parse(now), toFake: ['Date'] })
  const row = (month: string, churnRate: number) => ({
    month,
    churnRate,
    canceledSubscriptions: 1,
    totalSubscriptions: 50,
  })
  render(<ChurnBlock rows={[row('2026-10', 4), row('2026-11', 0)]} />)
  expect(screen.queryByText(/^Parcial:/)?.textContent).toBe(said)
})
