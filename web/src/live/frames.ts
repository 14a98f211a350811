// Frames of the live protocol (rt.v1; docs/contract.md, "Live protocol"), with the types of the generated schema.
// `readFrames` is the one place where a text from the socket becomes a typed value; what it does not know is left out,
// never guessed.
import type { Schemas } from '../api/client'

export type Since = Schemas['Since']
export type ClientFrame = Schemas['ClientFrame']
export type ServerFrame = Schemas['ServerFrame']
export type EventName = Schemas['EventName']

type Of<Type extends ServerFrame['type']> = Extract<ServerFrame, { type: Type }>
export type Welcome = Of<'welcome'>
export type HeadsFrame = Of<'heads'>
/** One type for each name. Without `prev` it is `seq - 1`; on conflated channels it may be lower. */
export type EventFrame = Of<'event'>
export type ResetFrame = Of<'reset'>

/** Frames that move positions. Snapshot, event, reset and live are data frames and are acknowledged. */
export type ChannelFrame = Of<'snapshot' | 'event' | 'live' | 'reset' | 'heads' | 'unsubscribed'>

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
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    typeof value.type === 'string' &&
    Object.hasOwn(TYPES, value.type)
  )
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

export type Subscription = { channel: string; since?: Since }

/** As `hello`, `subscribe` and `sync` name a channel; without a position the snapshot is asked for. */
export function subscription(channel: string, at: Since | null | undefined): Subscription {
  return at ? { channel, since: at } : { channel }
}
