// The live connection of a tab, for a signed-in user: wires it to the page (tickets, query cache, visibility, network,
// pause). The library's hook lives in a leaf that renders nothing, and each socket is a fresh mount: its own
// reconnects and buffers stay off, because ours keep the order. While a node drains there are two.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { notifyManager, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useWebSocket } from 'react-use-websocket/dist/lib/use-websocket.js'
import { liveTicket, meKey } from '../api/auth'
import { isOwnRequest } from '../api/client'
import { companyKeys } from '../api/companies'
import { Observable, useObservable } from '../lib/observable'
import type { Effect } from './apply-event'
import { extraChannels, notifyReaders } from './channels'
import { Connection } from './connection'
import { liveControls } from './controls'
import { noticeOf, type Notice } from './notices'
import { isPatch, PauseBuffer } from './pause'
import { companyOf, patchCache, type Patch } from './patch-cache'
import { isPaying } from './payment-dialog'
import type { Ports } from './ports'
import { liveStatus, noteWelcome, setLiveStatus } from './status'

/** A tab that was hidden this long closes its connection. */
const REST_AFTER_MS = 5 * 60_000

export interface LiveProps {
  companyId: string | undefined
  /** The server ended a session of the person, perhaps this one. */
  onRevoked: () => void
  onNotice: (notice: Notice) => void
}

/** The pause is the person's: it outlives a connection, which ends with each change between the app and the admin area. */
const buffer = new PauseBuffer()

/** So does the cache, whose versions are of these histories. */
const epochs = new Map<string, string>()

/** Mounted once for a signed-in user, in the layout. */
export default function LiveConnection(props: LiveProps) {
  const live = useLive(props)
  return useObservable(live.socketIds).map((socketId) => (
    <Socket key={socketId} socketId={socketId} connection={live.connection} />
  ))
}

function useLive({ companyId, onRevoked, onNotice }: LiveProps): Live {
  const queries = useQueryClient()
  const [live] = useState(() => new Live(queries))
  useEffect(() => live.listen({ onRevoked, onNotice }))

  const extra = useObservable(extraChannels)
  const channels = useMemo(
    () => [...new Set(['user', 'plans', ...(companyId ? [`company/${companyId}`] : []), ...extra])],
    [companyId, extra],
  )
  useEffect(() => live.connection.setChannels(channels), [live, channels])

  useEffect(() => {
    // The person who paused has signed out since: what waited for them goes with them.
    if (!liveStatus.get().paused) buffer.release()
    setLiveStatus({ waiting: buffer.size })
    live.connection.start()
    liveControls.set(live)
    const stopWatching = watchPage(live.connection)
    return () => {
      stopWatching()
      liveControls.set(null)
      live.connection.stop()
    }
  }, [live])
  return live
}

type Listener = Pick<LiveProps, 'onRevoked' | 'onNotice'>

/** The connection of this tab and what its effects do to the page. */
class Live {
  readonly socketIds = new Observable<readonly number[]>([])
  readonly connection: Connection
  private listener: Listener | null = null

  constructor(private readonly queries: QueryClient) {
    const ports: Ports = {
      ticket: async () => (await liveTicket()).ticket,
      mount: (socketIds) => this.socketIds.set(socketIds),
      apply: (effects) => this.apply(effects),
      report: setLiveStatus,
      welcomed: noteWelcome,
      recheckAccess: () => {
        void queries.invalidateQueries({ queryKey: meKey })
        void queries.invalidateQueries({ queryKey: companyKeys.list })
      },
      online: () => navigator.onLine,
      hidden: () => document.visibilityState === 'hidden',
      chance: Math.random,
    }
    this.connection = new Connection(ports, epochs)
  }

  listen(listener: Listener): void {
    this.listener = listener
  }

  reconnect(): void {
    this.connection.reconnect()
  }

  pause(): void {
    buffer.paused = true
    setLiveStatus({ paused: true, waiting: 0 })
  }

  resume(): void {
    const { patches, all } = buffer.release()
    this.patch(patches)
    if (all) void this.queries.invalidateQueries()
    setLiveStatus({ paused: false, waiting: 0 })
  }

  private apply(effects: Effect[]): void {
    this.patch(buffer.admit(effects.filter(isPatch), isExemptFromPause))
    if (effects.some(({ type }) => type === 'event'))
      setLiveStatus({ lastEventAt: Math.floor(Date.now() / 1_000) * 1_000 })
    if (buffer.paused) setLiveStatus({ waiting: buffer.size })
    for (const effect of effects) {
      if (effect.type !== 'lost') continue
      // The list of companies tells whether one was taken away. Of the other channels only the platform admin's can be:
      // the role is no longer what it was.
      const queryKey = companyOf(effect.channel) === null ? meKey : companyKeys.list
      void this.queries.invalidateQueries({ queryKey })
    }
  }

  private patch(patches: Patch[]): void {
    notifyManager.batch(() => {
      for (const each of patches) {
        const notice = noticeOf(each)
        patchCache(this.queries, each)
        notifyReaders(each)
        if (notice) this.listener?.onNotice(notice)
        if (endsSession(each)) this.listener?.onRevoked()
      }
    })
  }
}

/** A command of this page never ends its own session this way. */
function endsSession(patch: Patch): boolean {
  return patch.type === 'event' && patch.event.name === 'session.revoked' && !isOwnRequest(patch.event.cause)
}

/** What ends an access, the payment that the person waits for, and what replaces a lost history. */
function isExemptFromPause(patch: Patch): boolean {
  if (patch.type === 'snapshot') return patch.newHistory === true
  const { name } = patch.event
  return name === 'session.revoked' || name === 'membership.changed' || (name === 'payment.updated' && isPaying())
}

/** Network and visibility: back at once when either returns, at rest from five hidden minutes on until it is seen. */
function watchPage(connection: Connection): () => void {
  let rest: ReturnType<typeof setTimeout> | undefined
  const settle = () => {
    if (document.visibilityState === 'visible') return
    if (isPaying()) rest = setTimeout(settle, REST_AFTER_MS)
    else connection.stop()
  }
  const onVisibility = () => {
    clearTimeout(rest)
    if (document.visibilityState === 'hidden') rest = setTimeout(settle, REST_AFTER_MS)
    else if (liveStatus.get().connection === 'off') connection.reconnect()
    else connection.wake()
  }
  const onOnline = () => {
    // A tab at rest connects when it is seen again.
    const rests = document.visibilityState === 'hidden' && liveStatus.get().connection === 'off'
    if (!rests) connection.reconnect()
  }
  document.addEventListener('visibilitychange', onVisibility)
  window.addEventListener('online', onOnline)
  return () => {
    clearTimeout(rest)
    document.removeEventListener('visibilitychange', onVisibility)
    window.removeEventListener('online', onOnline)
  }
}

function Socket({ socketId, connection }: { socketId: number; connection: Connection }) {
  const url = useCallback(() => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/api/live`, [])
  const send = useRef<(text: string, keep?: boolean) => void>(() => undefined)
  const { sendMessage } = useWebSocket(url, {
    protocols: ['rt.v1'],
    share: false,
    filter: () => false,
    retryOnError: false,
    shouldReconnect: () => false,
    onOpen: () => connection.opened(socketId, (text) => send.current(text, false)),
    onMessage: (event) => connection.message(socketId, String(event.data)),
    onClose: (event) => connection.closed(socketId, event.code),
  })
  useEffect(() => {
    send.current = sendMessage
  }, [sendMessage])
  return null
}
