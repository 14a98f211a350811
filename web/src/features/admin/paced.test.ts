// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Paced } from './live-metrics'

describe('pace', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('the first comes at once, then the latest once an interval', () => {
    const seen: number[] = []
    const paced = new Paced<number>(1000, (value) => seen.push(value))
    paced.push(1)
    vi.advanceTimersByTime(0)
    expect(seen).toEqual([1])
    for (const value of [2, 3, 4]) paced.push(value)
    vi.advanceTimersByTime(999)
    expect(seen).toEqual([1])
    vi.advanceTimersByTime(1)
    expect(seen).toEqual([1, 4])
  })
  test('a stopped one says nothing more', () => {
    const seen: number[] = []
    const paced = new Paced<number>(1000, (value) => seen.push(value))
    paced.push(1)
    paced.stop()
    vi.runAllTimers()
    expect(seen).toEqual([])
  })
})
