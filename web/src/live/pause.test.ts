import { expect, test } from 'vitest'
import type { Subject } from './apply-event'
import type { EventFrame, EventName } from './frames'
import { PauseBuffer } from './pause'
import type { Patch } from './patch-cache'

const event = (seq: number, name: EventName, subject: Subject, key = ''): Patch => ({
  type: 'event',
  channel: 'c',
  subject,
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
      event(1, 'metrics.updated', 'metrics'),
      event(2, 'activity.created', 'activity'),
      event(3, 'metrics.updated', 'metrics'),
      event(4, 'activity.created', 'activity'),
      event(5, 'payment.updated', 'payment', 'p1'),
      event(6, 'payment.updated', 'payment', 'p2'),
      event(7, 'payment.updated', 'payment', 'p1'),
    ],
    () => false,
  )
  expect(buffer.size).toBe(5)
  expect(seqs(buffer.release().patches)).toEqual([2, 3, 4, 6, 7])
})
