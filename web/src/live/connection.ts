// The live connection of a tab: the order of channels, reconnects, and the move to another node, without React and
// without a socket of its own. `live-connection.tsx` mounts each current socket and hands in what it reports; reports of
// an older one are ignored, because a closed socket still reports for seconds. Rules: docs/contract.md, "Live protocol".
//
// When a node drains, the next socket opens beside the current one. Until every channel has caught up there, the
// current one alone moves the positions, and what the next one brings is held. Then the next one takes over and the
// held frames follow: the positions drop those that were applied, so nothing is missed and nothing is applied twice.
import { receive, reconnected, subscribed, unsubscribed, type Effect, type Positions } from './apply-event'
import { subscription, type Welcome } from './frames'
import { BACKOFF, LiveSocket, type SocketOwner, type ForwardedFrame } from './live-socket'
import type { Ports } from './ports'
import { backoffMs, DEFAULT_RETRY, delayOf, reconnectPolicyOf, type Retry, type ReconnectPolicy } from './reconnect'

const RESUME_LIFE_MS = 5 * 60_000
const STORM_WAIT_MS = { min: 5_000, spread: 25_000 }

export class Connection {
  private socketId = 0
  private running = false
  private stopped = false
  /** The socket whose frames count. */
  private current: LiveSocket | null = null
  /** The socket that takes over as soon as it has caught up, and what it brought so far. */
  private next: { socket: LiveSocket; held: ForwardedFrame[] } | null = null
  private retry: Retry = DEFAULT_RETRY
  private attempt = 0
  private reconnecting: ReturnType<typeof setTimeout> | undefined
  private resume: { token: string; at: number } | null = null
  private positions: Positions = {}
  private wanted: readonly string[] = []
  private readonly owner: SocketOwner

  /** `epochs`: of each channel's last snapshot, also of one that was left. They live as long as what was shown of it. */
  constructor(
    private readonly ports: Ports,
    private readonly epochs = new Map<string, string>(),
  ) {
    this.owner = {
      ticket: ports.ticket,
      hidden: ports.hidden,
      welcomed: (welcome) => this.welcomed(welcome),
      remember: (token) => (this.resume = { token, at: Date.now() }),
      forward: (socket, frames) => this.take(socket, frames),
      drained: (socket) => this.drained(socket),
      proven: () => (this.attempt = 0),
      failed: (socket, policy) => this.failed(socket, policy),
    }
  }

  start(): void {
    this.running = true
    void this.connect()
  }

  /** Signed out, or resting in a hidden tab. Positions stay, so that coming back is a catch-up. */
  stop(): void {
    this.running = false
    this.disconnect()
    this.report()
  }

  /** Now, with a fresh counter: the person asked, or the network or the tab came back. */
  reconnect(): void {
    this.stopped = false
    this.attempt = 0
    this.running = true
    this.disconnect()
    void this.connect()
  }

  /** The tab is back: at once, unless a connection stands. One that the device slept through looks open and is dead. */
  wake(): void {
    if (!this.current?.isAlive() && this.running && !this.stopped) this.reconnect()
    else if (!this.ports.hidden()) for (const socket of this.sockets()) socket.flush()
  }

  setChannels(channels: readonly string[]): void {
    for (const channel of this.wanted)
      if (!channels.includes(channel)) this.positions = unsubscribed(this.positions, channel)
    for (const channel of channels)
      this.positions = subscribed(this.positions, channel, this.epochs.get(channel) ?? null)
    this.wanted = channels
    for (const socket of this.sockets()) socket.setChannels(channels)
    this.report()
  }

  opened(socketId: number, send: (text: string) => void): void {
    const socket = this.socketOf(socketId)
    const proof = socket?.ticket == null ? { resume: this.resume?.token ?? '' } : { ticket: socket.ticket }
    const subscriptions = this.wanted.map((channel) => subscription(channel, this.positions[channel]?.at))
    socket?.sendHello(send, proof, subscriptions)
  }

  message(socketId: number, text: string): void {
    this.socketOf(socketId)?.message(text)
  }

  closed(socketId: number, code: number): void {
    const socket = this.socketOf(socketId)
    if (!socket) return
    socket.flush()
    this.failed(socket, reconnectPolicyOf(code))
  }

  private sockets(): LiveSocket[] {
    return [this.current, this.next?.socket].filter((socket) => socket != null)
  }

  private socketOf(socketId: number): LiveSocket | undefined {
    return this.sockets().find((socket) => socket.socketId === socketId)
  }

  /** Opens a socket, beside the current one if there is one. */
  private async connect(): Promise<void> {
    this.report()
    if (!this.ports.online()) return
    const socket = new LiveSocket(++this.socketId, this.owner)
    if (this.current) this.next = { socket, held: [] }
    else this.current = socket
    if (!this.resume || Date.now() - this.resume.at > RESUME_LIFE_MS) {
      try {
        socket.ticket = await this.ports.ticket()
      } catch {
        if (this.sockets().includes(socket)) this.failed(socket, BACKOFF)
        return
      }
    }
    if (!this.sockets().includes(socket)) return
    socket.mount()
    this.mount()
  }

  private drained(socket: LiveSocket): void {
    if (socket !== this.current || this.next) return
    void this.connect()
  }

  /** The next socket takes over, also from a current one that ended before the next had caught up. */
  private takeOver({ socket, held }: { socket: LiveSocket; held: ForwardedFrame[] }): void {
    this.current?.end()
    this.current = socket
    this.next = null
    this.positions = reconnected(this.positions, this.wanted, socket.caughtUp)
    this.mount()
    this.take(socket, held)
  }

  private failed(socket: LiveSocket, policy: ReconnectPolicy): void {
    if (policy.dropResume) this.resume = null
    if (policy.recheckAccess) this.ports.recheckAccess()
    if (socket === this.next?.socket) {
      socket.end()
      this.next = null
      this.mount()
    } else if (this.next) this.takeOver(this.next)
    else this.scheduleReconnect(policy)
  }

  private scheduleReconnect(policy: ReconnectPolicy): void {
    this.disconnect()
    const delay = delayOf(policy, this.attempt, this.retry, this.ports.chance())
    this.attempt += 1
    this.stopped = delay === null
    if (delay !== null && this.running) this.reconnecting = setTimeout(() => void this.connect(), delay)
    this.report()
  }

  /** Gives the sockets up and keeps the positions. */
  private disconnect(): void {
    for (const socket of this.sockets()) socket.end()
    this.current = null
    this.next = null
    clearTimeout(this.reconnecting)
    this.positions = reconnected(this.positions, this.wanted)
    this.mount()
  }

  private mount(): void {
    this.ports.mount(this.sockets().flatMap(({ mounted, socketId }) => (mounted ? [socketId] : [])))
  }

  private welcomed(welcome: Welcome): void {
    this.retry = welcome.retry
    this.stopped = false
    this.ports.welcomed(welcome.serverTime)
  }

  private take(socket: LiveSocket, frames: ForwardedFrame[]): void {
    if (socket === this.next?.socket) {
      this.next.held.push(...frames)
      if (socket.isCaughtUp()) this.takeOver(this.next)
      return
    }
    const effects = frames.flatMap((frame) => this.receive(socket, frame))
    if (effects.length > 0) this.ports.apply(effects)
    for (const effect of effects) if (effect.type === 'sync') this.sync(socket, effect)
    this.report()
  }

  private receive(socket: LiveSocket, frame: ForwardedFrame): Effect[] {
    if (frame.type === 'error') return this.refused(socket, frame)
    const { positions, effects } = receive(this.positions, frame, Date.now())
    this.positions = positions
    if (frame.type === 'snapshot' || frame.type === 'reset') {
      const epoch = positions[frame.channel]?.epoch
      if (epoch != null) this.epochs.set(frame.channel, epoch)
    }
    return effects
  }

  /** The server refused a channel: for the moment (`retry`), or else for as long as this socket lives. */
  private refused(socket: LiveSocket, { channel, code, retry }: Extract<ForwardedFrame, { type: 'error' }>): Effect[] {
    console.warn('live channel refused', code, channel)
    if (channel == null) return []
    if (!retry) return this.receive(socket, { type: 'unsubscribed', channel, code })
    // The server answers a second `subscribe` of a channel like a `sync`.
    const ask = () => socket.subscribe(subscription(channel, this.positions[channel]?.at))
    const wait = backoffMs(socket.refusedAgain(channel), this.retry, this.ports.chance())
    this.askLater(socket, channel, this.retry.baseMs + wait, ask)
    return []
  }

  private sync(socket: LiveSocket, { channel, since: at, storm }: Extract<Effect, { type: 'sync' }>): void {
    const ask = () => socket.sync(subscription(channel, at))
    if (storm) this.askLater(socket, channel, STORM_WAIT_MS.min + this.ports.chance() * STORM_WAIT_MS.spread, ask)
    else ask()
  }

  /** Does nothing if the page has left the channel by then. */
  private askLater(socket: LiveSocket, channel: string, milliseconds: number, ask: () => void): void {
    socket.after(`sync ${channel}`, milliseconds, () => {
      if (this.wanted.includes(channel)) ask()
    })
  }

  private report(): void {
    const welcomed = this.current?.welcome != null
    // A lost channel counts, too: until the page wants it no longer, what it shows of it is not live.
    const up = welcomed && this.wanted.every((channel) => this.positions[channel]?.live)
    const connection = !this.running ? 'off' : this.stopped ? 'stopped' : up ? 'live' : 'connecting'
    this.ports.report({ connection })
  }
}
