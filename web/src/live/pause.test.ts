import { expect, test } from 'vitest'
import type { EventFrame, EventName } from './frames'
import { PauseBuffer } from './pause'
import type { Patch } from './patch-cache'

const event = (seq: number, name: EventName, key = ''): Patch => ({
  type: 'event',
  channel: 'c',
  event: {
    type: 'event',
    channel: 'c',
    seq,
    name,
    key,
    data: seq as unknown,
    at: '2026-11-21T12:00:00Z',
  } as EventFrame,
})
const seqs = (patches: Patch[]) => patches.map((patch) => (patch.type === 'event' ? patch.event.seq : 'snapshot'))

test('of what is updated the latest waits, of what is created every one', () => {
  const buffer = new PauseBuffer()
  buffer.paused = true
  buffer.admit(
    [
      event(1, 'metrics.updated'),
      event(2, 'activity.created'),
      event(3, 'metrics.updated'),
      event(4, 'activity.created'),
      event(5, 'payment.updated', 'p1'),
      event(6, 'payment.updated', 'p2'),
      event(7, 'payment.updated', 'p1'),
    ],
    () => false,
  )
  expect(buffer.size).toBe(5)
  expect(seqs(buffer.release().patches)).toEqual([2, 3, 4, 6, 7])
})

test('of read marks every one waits, because each names only what was read just then', () => {
  const buffer = new PauseBuffer()
  buffer.paused = true
  const read = [1, 2].map((seq) => event(seq, 'notification.read', 'u1'))
  buffer.admit([...read, event(3, 'notification.created', 'n1')], () => false)
  expect(seqs(buffer.release().patches)).toEqual([1, 2, 3])
})

test('of too many nothing is kept, and each is counted', () => {
  const buffer = new PauseBuffer()
  const payments = Array.from({ length: 503 }, (_, seq) => event(seq, 'payment.updated', `p${seq}`))
  buffer.paused = true
  buffer.admit(payments, () => false)
  expect(buffer.size).toBe(503)
  expect(buffer.release()).toEqual({ patches: [], all: true })
  expect(buffer.size).toBe(0)
  buffer.paused = true
  buffer.admit(payments.slice(0, 2), () => false)
  expect(buffer.release()).toMatchObject({ patches: [{}, {}], all: false })
})
