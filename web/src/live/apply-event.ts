// Order of live frames: decides, per channel, which frame is the next one, which is a repeat and where a gap is.
// Pure: `receive(positions, frame, now) -> positions, effects`; the socket sends what it asks for and the cache
// applies what it lets through. Invariant: a channel's data is applied in `seq` order, without a gap, once.

import type { ChannelFrame, EventFrame, HeadsFrame, ResetFrame, Since } from './frames'

/** How long an unanswered `sync` keeps us from asking again. */
const SYNC_PATIENCE_MS = 10_000
const STORM_WINDOW_MS = 60_000
/** More resets than this within the window is a storm: wait before asking again. */
const STORM_RESETS = 3

export interface Position {
  /** Null until the first snapshot, and again after a reset. */
  at: Since | null
  /** False while catching up: shown as "Atualizando...". */
  live: boolean
  /** When the `sync` that we wait for was asked; null when none is under way. */
  askedAt: number | null
  /** Times of the resets of the last minute. */
  resets: readonly number[]
}

/** The channels that we are subscribed to; frames of any other are ignored. */
export type Positions = Readonly<Record<string, Position>>

export const EVENT_NAMES = [
  'company.updated',
  'company.deleted',
  'member.added',
  'member.updated',
  'member.removed',
  'invite.created',
  'invite.removed',
  'subscription.updated',
  'payment.updated',
  'plan.updated',
  'membership.changed',
  'session.revoked',
  'metrics.updated',
  'activity.created',
] as const
export type EventName = (typeof EVENT_NAMES)[number]
export type KnownEvent = EventFrame & { name: EventName }

/** What a state changed by the event is about; the cache patches it. */
export type Subject = 'company' | 'member' | 'invite' | 'subscription' | 'payment' | 'plan' | 'membership' | 'session' | 'metrics' | 'activity'

export type Effect =
  | { type: 'snapshot'; channel: string; data: unknown }
  | { type: 'event'; channel: string; subject: Subject; event: KnownEvent }
  | { type: 'sync'; channel: string; since: Since | null; storm: boolean }
  | { type: 'live'; channel: string }
  | { type: 'lost'; channel: string; code: string }

export interface Received {
  positions: Positions
  effects: Effect[]
}

const FRESH: Position = { at: null, live: false, askedAt: null, resets: [] }

export function subscribed(positions: Positions, channel: string): Positions {
  return positions[channel] ? positions : { ...positions, [channel]: FRESH }
}

export function unsubscribed(positions: Positions, channel: string): Positions {
  const { [channel]: _, ...rest } = positions
  return rest
}

/** A new connection: every channel keeps its position and has to catch up again. */
export function reconnected(positions: Positions): Positions {
  return Object.fromEntries(Object.entries(positions).map(([channel, position]) => [channel, { ...position, live: false, askedAt: null }]))
}

function moved(positions: Positions, channel: string, change: Partial<Position>): Positions {
  return { ...positions, [channel]: { ...(positions[channel] ?? FRESH), ...change } }
}

function subjectOf(name: EventName): Subject {
  switch (name) {
    case 'company.updated':
    case 'company.deleted':
      return 'company'
    case 'member.added':
    case 'member.updated':
    case 'member.removed':
      return 'member'
    case 'invite.created':
    case 'invite.removed':
      return 'invite'
    case 'subscription.updated':
      return 'subscription'
    case 'payment.updated':
      return 'payment'
    case 'plan.updated':
      return 'plan'
    case 'membership.changed':
      return 'membership'
    case 'session.revoked':
      return 'session'
    case 'metrics.updated':
      return 'metrics'
    case 'activity.created':
      return 'activity'
    default:
      return name satisfies never
  }
}

function isKnown(event: EventFrame): event is KnownEvent {
  return (EVENT_NAMES as readonly string[]).includes(event.name)
}

/** Asks for what is missing, unless an earlier question is still being answered. */
function ask(positions: Positions, channel: string, now: number): Received {
  const position = positions[channel] ?? FRESH
  const waiting = position.askedAt !== null && now - position.askedAt < SYNC_PATIENCE_MS
  if (waiting) return { positions, effects: [] }
  return {
    positions: moved(positions, channel, { askedAt: now, live: false }),
    effects: [{ type: 'sync', channel, since: position.at, storm: position.resets.length > STORM_RESETS }],
  }
}

function receiveEvent(positions: Positions, position: Position, event: EventFrame, now: number): Received {
  const { channel, seq } = event
  const { at } = position
  if (at && seq <= at.seq) return { positions, effects: [] }
  if (!at || (event.prev ?? seq - 1) !== at.seq) return ask(positions, channel, now)
  return {
    positions: moved(positions, channel, { at: { ...at, seq } }),
    effects: isKnown(event) ? [{ type: 'event', channel, subject: subjectOf(event.name), event }] : [],
  }
}

function receiveReset(positions: Positions, position: Position, frame: ResetFrame, now: number): Received {
  const resets = [...position.resets.filter((time) => now - time < STORM_WINDOW_MS), now]
  const forgotten = moved(positions, frame.channel, { at: null, live: false, askedAt: null, resets })
  // After a subscription the snapshot follows by itself; a reader that was too slow has to ask for it.
  return frame.reason === 'lagged' ? ask(forgotten, frame.channel, now) : { positions: forgotten, effects: [] }
}

function receiveHeads(positions: Positions, { heads }: HeadsFrame, now: number): Received {
  return heads.reduce<Received>(
    (so, [channel, epoch, seq]) => {
      const position = so.positions[channel]
      if (!position) return so
      const behind = !position.at || position.at.epoch !== epoch || position.at.seq < seq
      if (!behind) return so
      const asked = ask(so.positions, channel, now)
      return { positions: asked.positions, effects: [...so.effects, ...asked.effects] }
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
      return {
        positions: moved(positions, channel, { at: { epoch, seq } }),
        effects: [{ type: 'snapshot', channel, data }],
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
    default:
      return frame satisfies never
  }
}
