// Time that a page lives through while the test holds the clock.
import { act } from '@testing-library/react'
import { vi } from 'vitest'

export const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds))
