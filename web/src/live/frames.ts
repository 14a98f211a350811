// Frames of the live protocol (rt.v1, contract section 8), with the types of the generated schema. `readFrames` is the
// one place where a text from the socket becomes a typed value; what it does not know is left out, never guessed.
import type { components } from '../api/schema'

type Schemas = components['schemas']

export type Since = Schemas['Since']
export type ClientFrame = Schemas['ClientFrame']
export type EventName = Schemas['EventName']
export type Welcome = Extract<Schemas['ServerFrame'], { type: 'welcome' }>
export type HeadsFrame = Extract<Schemas['ServerFrame'], { type: 'heads' }>
type UnsubscribedFrame = Extract<Schemas['ServerFrame'], { type: 'unsubscribed' }>

/** The schema leaves `data` open: it is the REST object of the event's name, or of the channel. */
type Tagged<T extends string, Envelope> = { type: T } & Omit<Envelope, 'data'> & ('data' extends keyof Envelope ? { data: unknown } : unknown)

export type SnapshotFrame = Tagged<'snapshot', Schemas['SnapshotEnvelope']>
/** `prev` absent: `seq - 1`. Lower on conflated channels. */
export type EventFrame = Tagged<'event', Schemas['EventEnvelope']>
export type LiveFrame = Tagged<'live', Schemas['LiveEnvelope']>
export type ResetFrame = Tagged<'reset', Schemas['ResetEnvelope']>

/** Frames that move positions. Snapshot, event, reset and live are data frames and are acknowledged. */
export type ChannelFrame = SnapshotFrame | EventFrame | LiveFrame | ResetFrame | HeadsFrame | UnsubscribedFrame

export type ServerFrame = ChannelFrame | Schemas['ServerFrame'] | Tagged<'error', Schemas['ErrorFrame']>

const TYPES: Record<ServerFrame['type'], true> = {
  welcome: true,
  snapshot: true,
  event: true,
  live: true,
  reset: true,
  heads: true,
  ping: true,
  ok: true,
  error: true,
  unsubscribed: true,
  drain: true,
  refreshed: true,
}

function isServerFrame(value: unknown): value is ServerFrame {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && Object.hasOwn(TYPES, value.type)
}

/** One text frame: an object or an array of them. A text that is no JSON gives nothing. */
export function readFrames(text: string): ServerFrame[] {
  try {
    const parsed: unknown = JSON.parse(text)
    return (Array.isArray(parsed) ? parsed : [parsed]).filter(isServerFrame)
  } catch {
    return []
  }
}

export function isDataFrame(frame: ServerFrame): boolean {
  return frame.type === 'snapshot' || frame.type === 'event' || frame.type === 'reset' || frame.type === 'live'
}
