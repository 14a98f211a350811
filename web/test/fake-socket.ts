// A WebSocket and a clock in the hands of a test of `live/live-connection.tsx`; needs vitest's fake timers.
import { act } from '@testing-library/react'
import { vi } from 'vitest'
import type { ClientFrame } from '../src/live/frames'

/** The browser's WebSocket, driven by the test. */
export class FakeSocket {
  static all: FakeSocket[] = []
  static readonly CONNECTING = 0
  static readonly OPEN = 1
  static readonly CLOSING = 2
  static readonly CLOSED = 3
  readyState = FakeSocket.CONNECTING
  sent: ClientFrame[] = []
  onopen: ((event: unknown) => void) | null = null
  onmessage: ((event: { data: string }) => void) | null = null
  onclose: ((event: { code: number }) => void) | null = null
  onerror: ((event: unknown) => void) | null = null

  constructor(
    readonly url: string,
    readonly protocols: string[],
  ) {
    FakeSocket.all.push(this)
  }
  send(text: string) {
    this.sent.push(JSON.parse(text) as ClientFrame)
  }
  close() {
    this.readyState = FakeSocket.CLOSING
  }

  async accept() {
    this.readyState = FakeSocket.OPEN
    await settle(() => this.onopen?.({}))
  }
  async push(...frames: object[]) {
    await settle(() => frames.forEach((frame) => this.onmessage?.({ data: JSON.stringify(frame) })))
    await settle(() => vi.advanceTimersByTime(20))
  }
  async die(code: number) {
    this.readyState = FakeSocket.CLOSED
    await settle(() => this.onclose?.({ code }))
  }
  of(type: ClientFrame['type']) {
    return this.sent.filter((frame) => frame.type === type)
  }
}

/** Does the work and lets what follows from it happen. */
export async function settle(work: () => void) {
  await act(async () => {
    work()
    await vi.advanceTimersByTimeAsync(0)
  })
}
