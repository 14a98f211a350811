// @vitest-environment happy-dom
// The move to another node: two sockets side by side, driven frame by frame.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { CHANNEL, event, live, payment, snapshot, welcome } from '../../test/server-frames'
import type { Effect } from './apply-event'
import { Connection } from './connection'
import type { ClientFrame } from './frames'

const DRAIN = { type: 'drain', afterMs: 3_000 }

let connection: Connection
let mounted: readonly number[]
let applied: string[]
/** Every state that was reported since the test asked. */
let states: Set<string>
let tickets: number
let sent: Record<number, ClientFrame[]>
const newest = () => mounted.at(-1)!

const nameOf = (effect: Effect) => (effect.type === 'event' ? `event ${effect.event.seq}` : effect.type)

async function push(socket: number, ...frames: object[]) {
  for (const frame of frames) connection.message(socket, JSON.stringify(frame))
  await vi.advanceTimersByTimeAsync(20)
}

function open(socket: number) {
  sent[socket] = []
  connection.opened(socket, (text) => sent[socket]!.push(JSON.parse(text) as ClientFrame))
}

const said = (socket: number, type: ClientFrame['type']) => sent[socket]!.filter((frame) => frame.type === type)

/** A socket that is live at event 10. Returns its number. */
async function goLive(greeting: object = welcome()): Promise<number> {
  connection.setChannels([CHANNEL])
  connection.start()
  await vi.advanceTimersByTimeAsync(0)
  const socket = newest()
  open(socket)
  await push(socket, greeting, snapshot(CHANNEL, 10), live(CHANNEL, 10))
  applied = []
  states = new Set()
  return socket
}

/** A live socket that was told to go, and the one beside it, greeted. */
async function drained(): Promise<[number, number]> {
  const old = await goLive()
  await push(old, DRAIN)
  await vi.advanceTimersByTimeAsync(DRAIN.afterMs)
  open(newest())
  return [old, newest()]
}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 21, 12) })
  mounted = []
  applied = []
  states = new Set()
  tickets = 0
  sent = {}
  connection = new Connection({
    ticket: async () => `ticket-${(tickets += 1)}`,
    mount: (socketIds) => (mounted = socketIds),
    apply: (effects) => applied.push(...effects.map(nameOf)),
    report: (report) => states.add(report.connection),
    welcomed: () => undefined,
    recheckAccess: () => undefined,
    online: () => true,
    hidden: () => false,
    chance: () => 0.5,
  })
})

afterEach(() => {
  connection.stop()
})

describe('a node that drains', () => {
  test('gets a socket beside it at the moment that it named, which resumes where the first one is', async () => {
    const old = await goLive()
    await push(old, DRAIN, event(11, payment(1)))
    await vi.advanceTimersByTimeAsync(DRAIN.afterMs - 100)
    expect(mounted).toEqual([old])
    await vi.advanceTimersByTimeAsync(100)
    expect(mounted).toEqual([old, old + 1])
    open(newest())
    expect(said(newest(), 'hello')).toMatchObject([
      { resume: 'resume-1', subscriptions: [{ channel: CHANNEL, since: { epoch: 'e1', seq: 11 } }] },
    ])
    expect(tickets).toBe(1)
  })

  test('is left only when every channel is live elsewhere, and nobody sees it', async () => {
    const [old, next] = await drained()
    connection.setChannels([CHANNEL, 'plans'])
    await push(old, snapshot('plans', 0), live('plans', 0))
    states = new Set()
    await push(next, welcome())
    expect(said(next, 'subscribe')).toMatchObject([{ channel: 'plans' }])
    await push(next, live(CHANNEL, 10), snapshot('plans', 0))
    expect(mounted).toEqual([old, next])
    await push(next, live('plans', 0))
    expect(mounted).toEqual([next])
    connection.closed(old, 4201)
    expect(mounted).toEqual([next])
    await push(next, event(11, payment(1)))
    expect([...states]).toEqual(['live'])
    expect(applied).toContain('event 11')
  })

  test('loses no event and repeats none, whichever socket brings it first', async () => {
    const [old, next] = await drained()
    await push(next, welcome(), event(11, payment(1)), event(12, payment(2)))
    await push(old, event(11, payment(1)))
    await push(next, event(13, payment(3)), live(CHANNEL, 13), event(14, payment(4)))
    await push(old, event(12, payment(2)), event(15, payment(5)))
    await push(next, event(15, payment(5)))
    const events = applied.filter((name) => name.startsWith('event'))
    expect(events).toEqual(['event 11', 'event 12', 'event 13', 'event 14', 'event 15'])
    expect(said(next, 'sync')).toEqual([])
    expect([...states]).toEqual(['live'])
  })

  test('is served on when the next node begins behind it', async () => {
    const [old, next] = await drained()
    await push(old, event(11, payment(1)), event(12, payment(2)))
    await push(next, welcome(), live(CHANNEL, 10))
    expect(mounted).toEqual([next])
    await push(next, event(11, payment(1)), event(12, payment(2)), event(13, payment(3)))
    expect(applied.filter((name) => name.startsWith('event'))).toEqual(['event 11', 'event 12', 'event 13'])
    expect([...states]).toEqual(['live'])
  })

  test('a channel that starts anew on the next node shows no break', async () => {
    const [old, next] = await drained()
    const reset = { type: 'reset', channel: CHANNEL, reason: 'expired' }
    await push(next, welcome(), reset, snapshot(CHANNEL, 40))
    await push(old, event(11, payment(1)))
    expect(mounted).toEqual([old, next])
    await push(next, live(CHANNEL, 40))
    expect(mounted).toEqual([next])
    await push(next, event(41, payment(9)))
    expect(applied.filter((name) => name !== 'live')).toEqual(['event 11', 'snapshot', 'event 41'])
    expect([...states]).toEqual(['live'])
  })

  test('the held frames are acknowledged, so that a long catch-up goes on', async () => {
    const [, next] = await drained()
    await push(next, welcome(), ...Array.from({ length: 40 }, (_, index) => event(11 + index, payment(index))))
    expect(said(next, 'ack')).toEqual([{ type: 'ack', frames: 40 }])
    expect(applied).toEqual([])
  })

  test('keeps its socket when the next one fails, until it closes it', async () => {
    const [old, next] = await drained()
    connection.closed(next, 1006)
    expect(mounted).toEqual([old])
    await push(old, event(11, payment(1)))
    expect(applied).toEqual(['event 11'])
    expect([...states]).toEqual(['live'])
    connection.closed(old, 4201)
    expect(mounted).toEqual([])
    await vi.advanceTimersByTimeAsync(2_400)
    expect(mounted).toEqual([])
    await vi.advanceTimersByTimeAsync(200)
    expect(mounted).toEqual([next + 1])
  })

  test('takes a ticket next time when the other node refused to resume', async () => {
    const [old, next] = await drained()
    connection.closed(next, 4302)
    connection.closed(old, 4201)
    await vi.advanceTimersByTimeAsync(2_600)
    open(newest())
    expect(said(newest(), 'hello')).toMatchObject([{ ticket: 'ticket-2' }])
  })

  test('that closes first leaves what the next one still has to catch up', async () => {
    const [old, next] = await drained()
    await push(next, welcome(), event(11, payment(1)))
    connection.closed(old, 4201)
    expect(mounted).toEqual([next])
    expect(applied).toEqual(['event 11'])
    expect([...states]).toEqual(['live', 'connecting'])
    await push(next, live(CHANNEL, 11))
    states = new Set()
    await push(next, event(12, payment(2)))
    expect([...states]).toEqual(['live'])
  })

  test('does not come back by itself once the person signed out', async () => {
    await drained()
    connection.stop()
    expect(mounted).toEqual([])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(mounted).toEqual([])
  })

  test('a channel that the next node gives to nobody is lost, and the rest moves', async () => {
    const [, next] = await drained()
    await push(next, welcome(), { type: 'error', id: 1, code: 'FORBIDDEN', retry: false, channel: CHANNEL })
    expect(mounted).toEqual([next])
    expect(applied).toEqual(['lost'])
  })
})

test('a latest-value event of the other socket that goes further back is the next one', async () => {
  const [old, next] = await drained()
  await push(old, event(11, payment(1)))
  await push(next, welcome(), live(CHANNEL, 10), { ...event(12, payment(2)), prev: 10 })
  expect(applied.filter((name) => name.startsWith('event'))).toEqual(['event 11', 'event 12'])
  expect([...states]).toEqual(['live'])
})

test('a tab that is seen again leaves a socket that was silent while the device slept, and no other', async () => {
  const socket = await goLive()
  connection.wake()
  await vi.advanceTimersByTimeAsync(0)
  expect(mounted).toEqual([socket])
  // The timers stand still meanwhile.
  vi.setSystemTime(Date.now() + 120_000)
  connection.wake()
  await vi.advanceTimersByTimeAsync(0)
  expect(mounted).toEqual([socket + 1])
  open(newest())
  expect(said(newest(), 'hello')).toMatchObject([
    { resume: 'resume-1', subscriptions: [{ channel: CHANNEL, since: { epoch: 'e1', seq: 10 } }] },
  ])
})

describe('an access', () => {
  test.each([0, 3_600_000, -3_600_000])('is renewed in time by a device whose clock is %i ms off', async (off) => {
    const now = Date.now()
    const lasting = { expiresAt: new Date(now + 1_000_000).toISOString(), heartbeatMs: 1_000_000 }
    vi.setSystemTime(now + off)
    const socket = await goLive(welcome({ serverTime: new Date(now).toISOString(), ...lasting }))
    await vi.advanceTimersByTimeAsync(799_000)
    expect(said(socket, 'refresh')).toEqual([])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(said(socket, 'refresh')).toHaveLength(1)
    // By the server's clock 800 s have gone, and this one lasts another 1000 s.
    await push(socket, { type: 'refreshed', id: 2, expiresAt: new Date(now + 1_800_000).toISOString() })
    await vi.advanceTimersByTimeAsync(798_000)
    expect(said(socket, 'refresh')).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(said(socket, 'refresh')).toHaveLength(2)
  })

  test.each([3_600_000, -3_600_000])('is renewed in time after the clock was set by %i ms', async (by) => {
    const now = Date.now()
    const socket = await goLive(welcome({ expiresAt: new Date(now + 1_000_000).toISOString(), heartbeatMs: 1_000_000 }))
    vi.setSystemTime(now + by)
    await push(socket, { type: 'refreshed', id: 2, expiresAt: new Date(now + 1_000_000).toISOString() })
    await vi.advanceTimersByTimeAsync(799_000)
    expect(said(socket, 'refresh')).toEqual([])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(said(socket, 'refresh')).toHaveLength(1)
  })
})

describe('a lost channel', () => {
  const refused = { type: 'error', id: 1, code: 'RATE_LIMITED', retry: false, channel: 'plans' }

  /** Live, but for the channel `plans`, which was refused for good. */
  async function withoutPlans(): Promise<number> {
    const socket = await goLive()
    connection.setChannels([CHANNEL, 'plans'])
    await push(socket, refused)
    states = new Set()
    return socket
  }

  test('is not shown as live while the page wants it', async () => {
    const socket = await withoutPlans()
    await push(socket, event(11, payment(1)))
    expect([...states]).toEqual(['connecting'])
    states = new Set()
    connection.setChannels([CHANNEL])
    expect([...states]).toEqual(['live'])
  })

  test('comes back with the next connection', async () => {
    const socket = await withoutPlans()
    connection.closed(socket, 1006)
    await vi.advanceTimersByTimeAsync(1_000)
    open(newest())
    expect(said(newest(), 'hello')).toMatchObject([{ subscriptions: [{}, { channel: 'plans' }] }])
    await push(newest(), welcome(), live(CHANNEL, 10), snapshot('plans', 4))
    applied = []
    states = new Set()
    await push(newest(), live('plans', 4))
    expect(applied).toEqual(['live'])
    expect([...states]).toEqual(['live'])
  })

  test('comes back with the node that takes over', async () => {
    const socket = await withoutPlans()
    await push(socket, DRAIN)
    await vi.advanceTimersByTimeAsync(DRAIN.afterMs)
    open(newest())
    await push(newest(), welcome(), live(CHANNEL, 10), snapshot('plans', 4), live('plans', 4))
    expect(mounted).toEqual([newest()])
    expect(applied).toContain('snapshot')
    expect([...states].at(-1)).toBe('live')
  })
})

test('a channel that is refused again after it was live is asked for as soon as the first time', async () => {
  const socket = await goLive()
  const refused = { type: 'error', id: 2, code: 'SERVICE_UNAVAILABLE', retry: true, channel: CHANNEL }
  for (let times = 0; times < 6; times += 1) await push(socket, refused)
  await push(socket, live(CHANNEL, 10), refused)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(said(socket, 'subscribe')).toHaveLength(1)
})

test('a channel that was refused for the moment is not asked for once the page has left it', async () => {
  const socket = await goLive()
  connection.setChannels([CHANNEL, 'plans'])
  await push(socket, { type: 'error', id: 2, code: 'SERVICE_UNAVAILABLE', retry: true, channel: 'plans' })
  connection.setChannels([CHANNEL])
  await vi.advanceTimersByTimeAsync(5_000)
  expect(said(socket, 'subscribe')).toHaveLength(1)
})

test('large envelopes are acknowledged before the server waits for it', async () => {
  const socket = await goLive()
  const large = { ...payment(1), description: 'x'.repeat(6_000) }
  await push(socket, event(11, large), event(12, large))
  expect(said(socket, 'ack')).toEqual([])
  await push(socket, event(13, large))
  expect(said(socket, 'ack')).toEqual([{ type: 'ack', frames: 5 }])
})
