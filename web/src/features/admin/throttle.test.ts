import { beforeEach, describe, expect, test, vi } from 'vitest'
import { Throttle } from './throttle'

describe('a throttle', () => {
  beforeEach(() => void vi.useFakeTimers())

  test('the first comes at once, then the latest once an interval', () => {
    const seen: number[] = []
    const throttle = new Throttle<number>(1000, (value) => seen.push(value))
    throttle.push(1)
    vi.advanceTimersByTime(0)
    expect(seen).toEqual([1])
    for (const value of [2, 3, 4]) throttle.push(value)
    vi.advanceTimersByTime(999)
    expect(seen).toEqual([1])
    vi.advanceTimersByTime(1)
    expect(seen).toEqual([1, 4])
  })
  test('a stopped one says nothing more', () => {
    const seen: number[] = []
    const throttle = new Throttle<number>(1000, (value) => seen.push(value))
    throttle.push(1)
    throttle.stop()
    vi.runAllTimers()
    expect(seen).toEqual([])
  })
})
