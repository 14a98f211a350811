// Frames of the live protocol (rt.v1, contract section 8) as the client reads and writes them. `readFrames` is the
// one place where a text from the socket becomes a typed value; what it does not know is left out, never guessed.

export interface Since {
  epoch: string
  seq: number
}

export type ClientFrame =
  | { type: 'hello'; id: number; ticket?: string; resume?: string; subscriptions: { channel: string; since?: Since }[] }
  | { type: 'subscribe'; id: number; channel: string; since?: Since }
  | { type: 'unsubscribe'; id: number; channel: string }
  | { type: 'sync'; id: number; channel: string; since?: Since }
  | { type: 'refresh'; id: number; ticket: string }
  | { type: 'ack'; frames: number }
  | { type: 'pong'; n: number }

export interface Welcome {
  type: 'welcome'
  id: number
  connection: string
  serverTime: string
  expiresAt: string
  resume: string
  heartbeatMs: number
  window: number
  retry: { baseMs: number; capMs: number; spreadMs: number }
}

export interface SnapshotFrame {
  type: 'snapshot'
  channel: string
  epoch: string
  seq: number
  data: unknown
}
export interface EventFrame {
  type: 'event'
  channel: string
  seq: number
  /** Absent: `seq - 1`. Lower on conflated channels. */
  prev?: number
  name: string
  key?: string
  data: unknown
  at?: string
  cause?: string
}
export interface LiveFrame {
  type: 'live'
  channel: string
  seq: number
}
export interface ResetFrame {
  type: 'reset'
  channel: string
  reason: string
}
export interface HeadsFrame {
  type: 'heads'
  heads: [channel: string, epoch: string, seq: number][]
}
export interface UnsubscribedFrame {
  type: 'unsubscribed'
  channel: string
  code: string
}

/** Frames that move positions. Snapshot, event, reset and live are data frames and are acknowledged. */
export type ChannelFrame = SnapshotFrame | EventFrame | LiveFrame | ResetFrame | HeadsFrame | UnsubscribedFrame

export type ServerFrame =
  | ChannelFrame
  | Welcome
  | { type: 'refreshed'; id: number; expiresAt: string; resume: string }
  | { type: 'ping'; n: number; resume?: string }
  | { type: 'ok'; id: number }
  | { type: 'error'; id?: number; code: string; retry?: boolean; channel?: string }
  | { type: 'drain'; afterMs: number }

const TYPES = new Set<string>(['welcome', 'snapshot', 'event', 'live', 'reset', 'heads', 'ping', 'ok', 'error', 'unsubscribed', 'drain', 'refreshed'])

function isServerFrame(value: unknown): value is ServerFrame {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && TYPES.has(value.type)
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
