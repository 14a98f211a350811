import { isDeepStrictEqual } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import traces from '../../test/vectors/live_traces.json'
import { receive, reconnected, subscribed, unsubscribed, type Effect, type Positions } from './apply-event'
import { type ChannelFrame, type EventFrame, type ResetFrame, type Since } from './frames'

const CHANNEL = 'company/018f'
const NOW = 1_000_000

/** Positions do not depend on the data, so it is no whole REST object here. */
const event = (seq: number, rest: object = {}) =>
  ({
    type: 'event',
    channel: CHANNEL,
    seq,
    name: 'payment.updated',
    key: 'p1',
    data: { version: seq } as unknown,
    at: '2026-11-21T12:00:00Z',
    ...rest,
  }) as EventFrame
const snapshot = (seq: number, epoch = 'e1', data: unknown = { seq }) =>
  ({ type: 'snapshot', channel: CHANNEL, epoch, seq, data }) as ChannelFrame
const live = (seq: number): ChannelFrame => ({ type: 'live', channel: CHANNEL, seq })
const reset = (reason: ResetFrame['reason']): ChannelFrame => ({ type: 'reset', channel: CHANNEL, reason })

/** Feeds frames one after another, one millisecond apart, and collects what they ask for. */
function feed(frames: ChannelFrame[], start: Positions = subscribed({}, CHANNEL), from = NOW) {
  let positions = start
  const effects: Effect[] = []
  frames.forEach((frame, index) => {
    const received = receive(positions, frame, from + index)
    positions = received.positions
    effects.push(...received.effects)
  })
  return { positions, effects, kinds: effects.map(({ type }) => type) }
}

let caughtUp: Positions
beforeEach(() => {
  caughtUp = feed([snapshot(10), live(10)]).positions
})

describe('the order of a channel', () => {
  test('a subscription catches up by a snapshot and is live after it', () => {
    const { positions, kinds } = feed([snapshot(10), live(10)])
    expect(kinds).toEqual(['snapshot', 'live'])
    expect(positions[CHANNEL]).toMatchObject({ at: { epoch: 'e1', seq: 10 }, live: true })
  })

  test('an event that continues the last one is applied once', () => {
    const { positions, kinds } = feed([event(11), event(11), event(9)], caughtUp)
    expect(kinds).toEqual(['event'])
    expect(positions[CHANNEL]?.at?.seq).toBe(11)
  })

  test('a gap asks once for what is missing and applies nothing', () => {
    const { positions, effects } = feed([event(13), event(14)], caughtUp)
    expect(effects).toEqual([{ type: 'sync', channel: CHANNEL, since: { epoch: 'e1', seq: 10 }, storm: false }])
    expect(positions[CHANNEL]).toMatchObject({ at: { seq: 10 }, live: false })
    expect(feed([event(13)], caughtUp, 0).kinds).toEqual(['sync'])
  })

  test('the answer of a sync closes the gap', () => {
    const gap = feed([event(13)], caughtUp).positions
    const { positions, kinds } = feed([event(11), event(12), event(13), live(13)], gap)
    expect(kinds).toEqual(['event', 'event', 'event', 'live'])
    expect(positions[CHANNEL]).toMatchObject({ at: { seq: 13 }, live: true, askedAt: null })
  })

  test('a sync that nobody answers is asked again after ten seconds', () => {
    const gap = feed([event(13)], caughtUp).positions
    expect(feed([event(14)], gap, NOW + 9_999).kinds).toEqual([])
    expect(feed([event(14)], gap, NOW + 10_000).kinds).toEqual(['sync'])
  })

  test('conflation is proved by prev and is no gap', () => {
    const { positions, kinds } = feed([event(20, { prev: 10 }), event(30, { prev: 25 })], caughtUp)
    expect(kinds).toEqual(['event', 'sync'])
    expect(positions[CHANNEL]?.at?.seq).toBe(20)
  })

  test('a live frame ahead of us is a gap', () => {
    expect(feed([live(12)], caughtUp).kinds).toEqual(['sync'])
    expect(feed([live(1)]).effects).toEqual([{ type: 'sync', channel: CHANNEL, since: null, storm: false }])
  })

  test('a sync whose answer does not reach the head is asked again at once', () => {
    const gap = feed([event(13)], caughtUp).positions
    const { positions, kinds } = feed([event(11), live(14)], gap, NOW + 1)
    expect(kinds).toEqual(['event', 'sync'])
    expect(positions[CHANNEL]).toMatchObject({ at: { seq: 11 }, live: false, askedAt: NOW + 2 })
  })

  test('a snapshot of where we are is applied, for its data may be newer than ours', () => {
    expect(feed([snapshot(10)], caughtUp).effects).toEqual([{ type: 'snapshot', channel: CHANNEL, data: { seq: 10 } }])
  })

  test('what is applied names its channel and its frame', () => {
    expect(feed([event(11), live(11)], caughtUp).effects).toEqual([
      { type: 'event', channel: CHANNEL, event: event(11) },
      { type: 'live', channel: CHANNEL },
    ])
  })

  test('an older snapshot of the same epoch changes nothing, another epoch replaces all', () => {
    expect(feed([snapshot(9)], caughtUp).kinds).toEqual([])
    const { positions } = feed([snapshot(3, 'e2')], caughtUp)
    expect(positions[CHANNEL]?.at).toEqual({ epoch: 'e2', seq: 3 })
  })
})

describe('resets', () => {
  test('a reset forgets the position and waits for the snapshot', () => {
    const { positions, kinds } = feed([reset('epoch')], caughtUp)
    expect(kinds).toEqual([])
    expect(positions[CHANNEL]).toMatchObject({ at: null, live: false })
    expect(feed([snapshot(4, 'e2'), live(4)], positions).kinds).toEqual(['snapshot', 'live'])
  })

  test('a reader that lagged asks for the snapshot, and again when heads still name the channel', () => {
    const asked = feed([reset('lagged')], caughtUp)
    expect(asked.effects).toEqual([{ type: 'sync', channel: CHANNEL, since: null, storm: false }])
    const heads: ChannelFrame = { type: 'heads', heads: [[CHANNEL, 'e1', 10]] }
    expect(feed([heads], asked.positions, NOW + 9_000).kinds).toEqual([])
    expect(feed([heads], asked.positions, NOW + 60_000).effects).toEqual(asked.effects)
  })

  test('the fourth reset within a minute is a storm, one a minute later is not', () => {
    const storm = feed([reset('lagged'), reset('lagged'), reset('lagged'), reset('lagged')], caughtUp)
    expect(storm.effects.map((effect) => effect.type === 'sync' && effect.storm)).toEqual([false, false, false, true])
    const later = feed([reset('lagged')], storm.positions, NOW + 61_000)
    expect(later.effects).toMatchObject([{ type: 'sync', storm: false }])
  })

  test('only the resets of the last minute count', () => {
    const three = feed([reset('lagged'), reset('lagged'), reset('lagged')], caughtUp).positions
    const fourth = (after: number) => feed([reset('lagged')], three, NOW + after).effects
    expect(fourth(59_999)).toMatchObject([{ type: 'sync', storm: true }])
    expect(fourth(60_000)).toMatchObject([{ type: 'sync', storm: false }])
  })

  test('the first snapshot of another history says so, however it comes', () => {
    const histories = (frames: ChannelFrame[], start = caughtUp) =>
      feed(frames, start).effects.flatMap((effect) => (effect.type === 'snapshot' ? [effect.newHistory === true] : []))
    expect(histories([reset('epoch'), snapshot(4, 'e2'), snapshot(5, 'e2')])).toEqual([true, false])
    expect(histories([reset('lagged'), snapshot(4, 'e2')])).toEqual([true])
    expect(histories([snapshot(4, 'e2')])).toEqual([true])
    expect(histories([reset('ahead'), snapshot(4), snapshot(5)])).toEqual([true, false])
    expect(histories([reset('expired'), snapshot(900)])).toEqual([false])
    expect(histories([reset('lagged'), snapshot(12)])).toEqual([false])
    expect(histories([snapshot(10)], subscribed({}, CHANNEL))).toEqual([false])
    expect(histories([snapshot(4, 'e2')], reconnected(caughtUp, [CHANNEL]))).toEqual([true])
  })

  test('a storm is remembered by what asks after it', () => {
    const storm = feed(
      ['epoch', 'epoch', 'epoch', 'epoch'].map((reason) => reset(reason as ResetFrame['reason'])),
      caughtUp,
    )
    expect(storm.kinds).toEqual([])
    expect(feed([event(5)], storm.positions).effects).toMatchObject([{ type: 'sync', since: null, storm: true }])
  })

  test('a storm that is over delays no sync', () => {
    const storm = feed([reset('epoch'), reset('epoch'), reset('epoch'), reset('epoch')], caughtUp)
    expect(feed([event(5)], storm.positions, NOW + 60_000).effects).toMatchObject([{ type: 'sync', storm: false }])
  })

  test('an event before the snapshot asks for it', () => {
    expect(feed([event(5)]).kinds).toEqual(['sync'])
  })
})

describe('heads', () => {
  const heads = (seq: number, epoch = 'e1'): ChannelFrame => ({
    type: 'heads',
    heads: [
      [CHANNEL, epoch, seq],
      ['user', 'u', 1],
    ],
  })

  test('a head above our position is the last event lost before a silence', () => {
    expect(feed([heads(10)], caughtUp).kinds).toEqual([])
    expect(feed([heads(11)], caughtUp).effects).toMatchObject([{ type: 'sync', since: { seq: 10 } }])
  })
  test('a head of another epoch asks too', () => {
    expect(feed([heads(10, 'e2')], caughtUp).kinds).toEqual(['sync'])
  })
  test('every channel that is behind is asked for, and one without a position too', () => {
    const { effects, positions } = feed([heads(11)], subscribed(caughtUp, 'user'))
    expect(effects.map((effect) => [effect.type, effect.channel])).toEqual([
      ['sync', CHANNEL],
      ['sync', 'user'],
    ])
    expect([positions[CHANNEL]?.askedAt, positions.user?.askedAt]).toEqual([NOW, NOW])
  })
  test('channels that we do not read are not asked for', () => {
    expect(feed([heads(99)], {}).effects).toEqual([])
  })
})

describe('channels', () => {
  test('frames of a channel that we left are ignored', () => {
    expect(feed([event(11), snapshot(12), live(12)], unsubscribed(caughtUp, CHANNEL)).effects).toEqual([])
  })
  test('a lost channel is reported and forgotten', () => {
    const { positions, effects } = feed([{ type: 'unsubscribed', channel: CHANNEL, code: 'FORBIDDEN' }], caughtUp)
    expect(effects).toEqual([{ type: 'lost', channel: CHANNEL, code: 'FORBIDDEN' }])
    expect(positions[CHANNEL]).toBeUndefined()
  })
  test('a new subscription has no position and is not live', () => {
    const positions = subscribed(caughtUp, 'user')
    expect(positions.user).toEqual({ at: null, epoch: null, live: false, askedAt: null, resets: [] })
    expect(positions[CHANNEL]).toEqual(caughtUp[CHANNEL])
    expect(unsubscribed(positions, 'user')).toEqual(caughtUp)
  })
  test('a channel that has caught up on the next connection stays live, if it was', () => {
    const positions = subscribed(caughtUp, 'user')
    const next = reconnected(positions, [CHANNEL, 'user'], new Set([CHANNEL, 'user']))
    expect([next[CHANNEL]?.live, next.user?.live]).toEqual([true, false])
    expect(reconnected(positions, [CHANNEL], new Set(['user']))[CHANNEL]?.live).toBe(false)
  })
  test('a second subscription keeps the position', () => {
    expect(subscribed(caughtUp, CHANNEL)).toBe(caughtUp)
  })
  test('a new connection keeps the position and is not live yet', () => {
    expect(reconnected(caughtUp, [CHANNEL])[CHANNEL]).toMatchObject({ at: { seq: 10 }, live: false, askedAt: null })
  })
  test('a channel that was lost begins anew on a new connection', () => {
    const lost = unsubscribed(caughtUp, CHANNEL)
    expect(reconnected(lost, [CHANNEL])).toEqual(subscribed({}, CHANNEL))
  })
})

/** Mulberry32: the runs differ and every failure names its seed. */
function random(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

/** A server channel: a log of key/value writes; it forgets old events and then answers by a snapshot. */
class ServerChannel {
  private readonly log: EventFrame[] = []
  constructor(private readonly kept: number) {}

  write(key: string, value: number) {
    const frame = event(this.log.length + 1, { key, data: value })
    this.log.push(frame)
    return frame
  }

  stateAt(seq: number) {
    return Object.fromEntries(this.log.slice(0, seq).map(({ key, data }) => [key, data]))
  }

  get head() {
    return this.log.length
  }

  answer(since: Since | null): ChannelFrame[] {
    const oldest = this.log.length - this.kept
    if (!since || since.seq < oldest) {
      const full = snapshot(this.head, 'e1', this.stateAt(this.head))
      return [...(since ? [reset('expired')] : []), full, live(this.head)]
    }
    return [...this.log.slice(since.seq), live(this.head)]
  }
}

/** Client of the property test: applies what `receive` lets through, answers every sync from the server. */
function run(seed: number) {
  const pick = random(seed)
  const server = new ServerChannel(5 + pick(40))
  let positions = subscribed({}, CHANNEL)
  let state: Record<string, unknown> = {}
  let clock = NOW
  const applied: number[] = []

  const take = (frame: ChannelFrame) => {
    clock += pick(4_000)
    const received = receive(positions, frame, clock)
    positions = received.positions
    for (const effect of received.effects) {
      if (effect.type === 'snapshot') state = { ...(effect.data as Record<string, unknown>) }
      if (effect.type === 'event') {
        state = { ...state, [effect.event.key ?? '']: effect.event.data }
        applied.push(effect.event.seq)
      }
      if (effect.type === 'sync' && pick(5) > 0) server.answer(effect.since).forEach(take) // one answer in five is lost
    }
    const at = positions[CHANNEL]?.at
    // Asked some ten thousand times: the words of a failure are made for one alone.
    if (at && !isDeepStrictEqual(state, server.stateAt(at.seq)))
      expect(state, `seed ${seed}`).toEqual(server.stateAt(at.seq))
  }

  // Writes and deliveries alternate; a frame on its way may be overtaken, repeated or lost.
  const onTheWay: EventFrame[] = []
  for (let steps = 30 + pick(120); steps > 0; steps -= 1) {
    if (pick(2) === 0) {
      const frame = server.write(`k${pick(6)}`, pick(1_000))
      const copies = [1, 1, 1, 1, 2, 0][pick(6)] ?? 1
      for (let copy = 0; copy < copies; copy += 1) onTheWay.push(frame)
    } else {
      const [frame] = onTheWay.splice(pick(Math.min(onTheWay.length, 3)), 1)
      if (frame) take(frame)
    }
  }
  onTheWay.forEach(take)
  for (let beats = 0; beats < 60 && positions[CHANNEL]?.at?.seq !== server.head; beats += 1) {
    clock += 11_000
    take({ type: 'heads', heads: [[CHANNEL, 'e1', server.head]] })
  }
  expect(state, `seed ${seed}`).toEqual(server.stateAt(server.head))
  return applied
}

test('any shuffle with repeats, losses and syncs ends in the state of the server', () => {
  const applied = Array.from({ length: 400 }, (_, seed) => run(seed + 1))
  expect(applied.some((seqs) => seqs.length > 10)).toBe(true)
})

/** One step of `actors/src/channel/simulation/`: what a browser received there, and what it did. */
interface Step {
  now: number
  frame: ChannelFrame
  effects: { type: string; seq?: number; since?: Since | null }[]
}

describe('the traces of the simulation', () => {
  test('every frame has the effects that it had there', () => {
    expect(traces.length).toBe(12)
    for (const trace of traces as (Step | { reconnected: true })[][]) {
      let positions: Positions = subscribed({}, 'plans')
      for (const step of trace) {
        if ('reconnected' in step) {
          positions = reconnected(positions, ['plans'])
          continue
        }
        const received = receive(positions, step.frame, step.now)
        positions = received.positions
        const told = received.effects.map((effect) => {
          if (effect.type === 'sync') return { type: 'sync', since: effect.since }
          return effect.type === 'event' ? { type: 'event', seq: effect.event.seq } : { type: effect.type }
        })
        expect(told).toEqual(step.effects)
      }
    }
  })
})
