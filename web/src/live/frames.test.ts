import { expect, test } from 'vitest'
import { isDataFrame, readFrames, type ServerFrame } from './frames'

test('one text carries one frame or many, and nonsense gives none', () => {
  expect(readFrames('{"type":"ping","n":1}')).toEqual([{ type: 'ping', n: 1 }])
  expect(readFrames('[{"type":"ping","n":1},{"type":"new"},7,null]')).toEqual([{ type: 'ping', n: 1 }])
  expect(readFrames('{')).toEqual([])
})

test('only snapshot, event, reset and live are acknowledged', () => {
  const counted = ['snapshot', 'event', 'reset', 'live', 'heads'].map((type) => isDataFrame({ type } as ServerFrame))
  expect(counted).toEqual([true, true, true, true, false])
})
