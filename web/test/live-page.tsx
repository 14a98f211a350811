// A page with the live connection of one company, in virtual time, before a socket and a server that the test plays.
import { cleanup, render } from '@testing-library/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { afterEach, beforeEach, vi } from 'vitest'
import LiveConnection from '../src/live/live-connection'
import { forgetPause } from '../src/live/status'
import { FakeSocket } from './fake-socket'
import { pass } from './pass'
import { CHANNEL, COMPANY, live, snapshot, welcome } from './server-frames'
import { askingCache } from './render'

/** Of the test that runs: its cache, and the tickets that were asked for. */
export const tab = { queries: new QueryClient(), tickets: 0 }

export const newest = () => FakeSocket.all.at(-1)!

export const page = (companyId?: string) => (
  <QueryClientProvider client={tab.queries}>
    <LiveConnection companyId={companyId} onRevoked={() => undefined} onNotice={() => undefined} />
  </QueryClientProvider>
)

export async function mount() {
  render(page(COMPANY))
  await pass(0)
}

export async function goLive() {
  await mount()
  await greet()
}

/** The server takes the socket's hello and answers with every channel. */
export async function greet() {
  await pass(0)
  await newest().accept()
  await newest().push(welcome())
  for (const [channel, seq] of [
    ['user', 0],
    ['plans', 0],
    [CHANNEL, 10],
  ] as const)
    await newest().push(snapshot(channel, seq), live(channel, seq))
}

/** For a file of tests, before the first of them. */
export function playServer(): void {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 21, 12) })
    tab.queries = askingCache()
    tab.tickets = 0
    FakeSocket.all = []
    vi.stubGlobal('WebSocket', FakeSocket)
    vi.stubGlobal('fetch', async () => {
      tab.tickets += 1
      return Response.json({ success: true, data: { ticket: `ticket-${tab.tickets}`, expiresIn: 30 } })
    })
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
  })
  afterEach(() => {
    cleanup()
    forgetPause()
    tab.queries.clear()
  })
}
