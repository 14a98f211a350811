import { expect, test } from 'vitest'
import { axisWidth, closedKey, openKey, runningAt, withParts } from './chart-parts'

const points = [
  { label: 'set/26', mrr: 1 },
  { label: 'out/26', mrr: 2 },
  { label: 'nov/26', mrr: 3 },
]

test('the running month is joined to the last complete one by the open part', () => {
  const parts = withParts(points, ['mrr'], runningAt(points, 'nov/26'))
  expect(parts.map((point) => [point['mrr'], point[closedKey('mrr')], point[openKey('mrr')]])).toEqual([
    [1, 1, null],
    [2, 2, 2],
    [3, null, 3],
  ])
})

test('where everything is over nothing is open', () => {
  expect(runningAt(points, undefined)).toBe(-1)
  const parts = withParts(points, ['mrr'], runningAt(points, 'dez/26'))
  expect(parts.map((point) => point[openKey('mrr')])).toEqual([null, null, null])
  expect(parts.map((point) => point[closedKey('mrr')])).toEqual([1, 2, 3])
})

test('the value axis is as wide as its longest label', () => {
  const plain = (value: number) => String(value)
  expect(axisWidth(points, ['mrr'], plain)).toBe(16)
  expect(axisWidth([...points, { label: 'dez/26', mrr: 900 }], ['mrr'], plain)).toBe(38)
  expect(axisWidth([], ['mrr'], plain)).toBe(16)
})
