// Order of live frames: decides for each channel whether a frame is the next one, a repeat, or behind a gap.
// Pure: `receive(positions, frame, now) -> positions, effects`. `connection.ts` sends the `sync` effects,
// `patch-cache.ts` applies the snapshots and events. Invariant: a channel's data is applied in `seq` order, without a
// gap, once.

import type { ChannelFrame, EventFrame, HeadsFrame, ResetFrame, Since } from './frames'

/** A `sync` that is unanswered after this time is sent again. */
const SYNC_TIMEOUT_MS = 10_000
const STORM_WINDOW_MS = 60_000
/** More resets than this within the window is a storm: wait before asking again. */
const STORM_RESETS = 3
/** The server never sends this epoch. It makes the snapshot after a reset `ahead` count as a new history. */
// Stryker disable next-line StringLiteral: any text that is no epoch does
const LOST_EPOCH = ''

interface Position {
  /** Null until the first snapshot, and again after a reset. */
  at: Since | null
  /** The epoch of the last snapshot, also after a reset; null until the first. */
  epoch: string | null
  /** False while catching up. */
  live: boolean
  /** When the `sync` that we wait for was asked; null when none is under way. */
  askedAt: number | null
  /** Times of the resets; those older than a minute go with the next one. */
  resets: readonly number[]
}

/** The channels that we are subscribed to; frames of any other are ignored. */
export type Positions = Readonly<Record<string, Position>>

export type Effect =
  /** `newHistory`: what came before may be lost in the database, and versions begin anew. */
  | { type: 'snapshot'; channel: string; data: unknown; newHistory?: boolean }
  | { type: 'event'; channel: string; event: EventFrame }
  | { type: 'sync'; channel: string; since: Since | null; storm: boolean }
  | { type: 'live'; channel: string }
  | { type: 'lost'; channel: string; code: string }

interface Received {
  positions: Positions
  effects: Effect[]
}

const FRESH: Position = { at: null, epoch: null, live: false, askedAt: null, resets: [] }

/** `epoch`: of the last snapshot that this page has had of the channel. */
export function subscribed(positions: Positions, channel: string, epoch: string | null = null): Positions {
  return positions[channel] ? positions : { ...positions, [channel]: { ...FRESH, epoch } }
}

export function unsubscribed(positions: Positions, channel: string): Positions {
  const { [channel]: _, ...rest } = positions
  return rest
}

/**
 * The positions on a new connection with these channels. A channel keeps its position; it is live only if it has caught
 * up on the new connection (`caughtUp`). A channel without a position starts empty.
 */
export function reconnected(
  positions: Positions,
  channels: readonly string[],
  caughtUp: ReadonlySet<string> = new Set(),
): Positions {
  return Object.fromEntries(
    channels.map((channel) => {
      const position = positions[channel] ?? FRESH
      return [channel, { ...position, live: position.live && caughtUp.has(channel), askedAt: null }]
    }),
  )
}

function moved(positions: Positions, channel: string, change: Partial<Position>): Positions {
  return { ...positions, [channel]: { ...(positions[channel] ?? FRESH), ...change } }
}

function lately(times: readonly number[], now: number): number[] {
  return times.filter((time) => now - time < STORM_WINDOW_MS)
}

/** Sends a `sync` for the missing frames, unless an earlier one is still unanswered. */
function ask(positions: Positions, channel: string, now: number): Received {
  const position = positions[channel] ?? FRESH
  const waiting = position.askedAt !== null && now - position.askedAt < SYNC_TIMEOUT_MS
  if (waiting) return { positions, effects: [] }
  const storm = lately(position.resets, now).length > STORM_RESETS
  return {
    positions: moved(positions, channel, { askedAt: now, live: false }),
    effects: [{ type: 'sync', channel, since: position.at, storm }],
  }
}

function receiveEvent(positions: Positions, position: Position, event: EventFrame, now: number): Received {
  const { channel, seq } = event
  const { at } = position
  if (at && seq <= at.seq) return { positions, effects: [] }
  // A latest-value event may go further back than what another socket of this page has brought.
  if (!at || (event.prev ?? seq - 1) > at.seq) return ask(positions, channel, now)
  return {
    positions: moved(positions, channel, { at: { ...at, seq } }),
    effects: [{ type: 'event', channel, event }],
  }
}

function receiveReset(positions: Positions, position: Position, frame: ResetFrame, now: number): Received {
  const resets = [...lately(position.resets, now), now]
  const epoch = frame.reason === 'ahead' ? LOST_EPOCH : position.epoch
  const forgotten = moved(positions, frame.channel, { at: null, epoch, live: false, askedAt: null, resets })
  // After a subscription the snapshot follows by itself. A reader that was too slow (`lagged`) has to ask for it.
  return frame.reason === 'lagged' ? ask(forgotten, frame.channel, now) : { positions: forgotten, effects: [] }
}

function receiveHeads(positions: Positions, { heads }: HeadsFrame, now: number): Received {
  return heads.reduce<Received>(
    (received, [channel, epoch, seq]) => {
      const position = received.positions[channel]
      if (!position) return received
      const behind = !position.at || position.at.epoch !== epoch || position.at.seq < seq
      if (!behind) return received
      const asked = ask(received.positions, channel, now)
      return { positions: asked.positions, effects: [...received.effects, ...asked.effects] }
    },
    { positions, effects: [] },
  )
}

export function receive(positions: Positions, frame: ChannelFrame, now: number): Received {
  if (frame.type === 'heads') return receiveHeads(positions, frame, now)
  const { channel } = frame
  const position = positions[channel]
  if (!position) return { positions, effects: [] }
  switch (frame.type) {
    case 'event':
      return receiveEvent(positions, position, frame, now)
    case 'reset':
      return receiveReset(positions, position, frame, now)
    case 'snapshot': {
      const { epoch, seq, data } = frame
      const { at } = position
      if (at && at.epoch === epoch && seq < at.seq) return { positions, effects: [] }
      const newHistory = position.epoch !== null && position.epoch !== epoch
      return {
        positions: moved(positions, channel, { at: { epoch, seq }, epoch }),
        effects: [{ type: 'snapshot', channel, data, ...(newHistory && { newHistory }) }],
      }
    }
    case 'live': {
      const { at } = position
      if (!at || at.seq < frame.seq) return ask(moved(positions, channel, { askedAt: null }), channel, now)
      return {
        positions: moved(positions, channel, { live: true, askedAt: null }),
        effects: [{ type: 'live', channel }],
      }
    }
    case 'unsubscribed':
      return { positions: unsubscribed(positions, channel), effects: [{ type: 'lost', channel, code: frame.code }] }
    // Stryker disable next-line all: the compiler proves that no frame comes here
    default:
      return frame satisfies never
  }
}
