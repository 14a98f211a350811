import { describe, expect, test } from 'vitest'
import { sparkPoints } from './sparkline'

describe('sparkline', () => {
  test('the lowest value is at the bottom and the highest at the top', () => {
    expect(sparkPoints([0, 10, 5], 108, 36)).toEqual([
      [4, 32],
      [54, 4],
      [104, 18],
    ])
  })
  test('equal values lie in the middle', () => {
    expect(sparkPoints([7, 7], 108, 36)).toEqual([
      [4, 18],
      [104, 18],
    ])
  })
})
