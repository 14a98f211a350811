import { expect, test } from 'vitest'
import { axisWidth, completeKey, indexOfRunning, runningKey, withParts } from './chart-parts'

const points = [
  { label: 'set/26', mrr: 1 },
  { label: 'out/26', mrr: 2 },
  { label: 'nov/26', mrr: 3 },
]

test('the running month is joined to the last complete one by the running part', () => {
  const parts = withParts(points, ['mrr'], indexOfRunning(points, 'nov/26'))
  expect(parts.map((point) => [point['mrr'], point[completeKey('mrr')], point[runningKey('mrr')]])).toEqual([
    [1, 1, null],
    [2, 2, 2],
    [3, null, 3],
  ])
})

test('where everything is over no part is running', () => {
  expect(indexOfRunning(points, undefined)).toBe(-1)
  const parts = withParts(points, ['mrr'], indexOfRunning(points, 'dez/26'))
  expect(parts.map((point) => point[runningKey('mrr')])).toEqual([null, null, null])
  expect(parts.map((point) => point[completeKey('mrr')])).toEqual([1, 2, 3])
})

test('the value axis is as wide as its longest label', () => {
  const plain = (value: number) => String(value)
  expect(axisWidth(points, ['mrr'], plain)).toBe(16)
  expect(axisWidth([...points, { label: 'dez/26', mrr: 900 }], ['mrr'], plain)).toBe(38)
  expect(axisWidth([], ['mrr'], plain)).toBe(16)
})
