// One live connection: hello, order, acknowledgements, syncs, heartbeat and reconnects, without React and without a
// socket of its own. `socket.tsx` mounts a socket for the current generation and hands in what it reports; reports of
// an older generation are ignored, because a closed socket still reports for seconds. Rules:
// docs/contract.md, "Live protocol".
import { receive, reconnected, subscribed, unsubscribed, type Effect, type Positions } from './apply-event'
import { FrameQueue } from './frame-queue'
import { isDataFrame, readFrames, since, type ClientFrame, type ServerFrame, type Welcome } from './frames'
import type { Ports } from './ports'
import { backoffMs, DEFAULT_RETRY, delayOf, verdictOf, type Retry, type Verdict } from './reconnect'

const ACK_FRAMES = 32
const ACK_MS = 1_000
const RESUME_LIFE_MS = 5 * 60_000
/** A connection that lasted this long after its `welcome` resets the counter of attempts. */
const PROOF_MS = 10_000
const HEARTBEAT_SLACK_MS = 10_000
const OPEN_LIMIT_MS = 10_000
const REFRESH_SHARE = 0.8
const STORM_WAIT_MS = { min: 5_000, spread: 25_000 }
const BACKOFF: Verdict = verdictOf(1006)

export class Connection {
  private generation = 0
  private mounted = false
  private running = false
  private send: ((frame: ClientFrame) => void) | null = null
  private welcome: Welcome | null = null
  private retry: Retry = DEFAULT_RETRY
  private attempt = 0
  private stopped = false
  private resume: { token: string; at: number } | null = null
  private positions: Positions = {}
  private wanted: readonly string[] = []
  /** The channels that the hello named; `wanted` may change before the welcome comes. */
  private greetedWith: readonly string[] = []
  private readonly queue: FrameQueue
  private received = 0
  private acknowledged = 0
  private nextId = 1
  /** How often a channel was refused for the moment since this connection's welcome. */
  private readonly refusals = new Map<string, number>()
  private ticketForHello: string | null = null
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>()

  constructor(private readonly ports: Ports) {
    this.queue = new FrameQueue(ports.hidden, (texts) => this.receiveTexts(texts))
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

  /** The network or the tab is back: at once, unless a connection stands. */
  wake(): void {
    if (this.welcome === null && this.running && !this.stopped) this.reconnect()
    else if (!this.ports.hidden()) this.queue.flush()
  }

  setChannels(channels: readonly string[]): void {
    const left = this.wanted.filter((channel) => !channels.includes(channel))
    const added = channels.filter((channel) => !this.positions[channel])
    this.wanted = channels
    for (const channel of left) this.positions = unsubscribed(this.positions, channel)
    for (const channel of added) this.positions = subscribed(this.positions, channel)
    if (this.welcome) this.sendChanges(left, added)
    this.report()
  }

  private sendChanges(left: readonly string[], added: readonly string[]): void {
    for (const channel of left) this.send?.({ type: 'unsubscribe', id: this.id(), channel })
    for (const channel of added) this.send?.({ type: 'subscribe', id: this.id(), channel })
  }

  opened(generation: number, send: (text: string) => void): void {
    if (generation !== this.generation) return
    this.send = (frame) => send(JSON.stringify(frame))
    const ticket = this.ticketForHello
    this.greetedWith = this.wanted
    const subscriptions = this.wanted.map((channel) => ({ channel, ...since(this.positions[channel]?.at) }))
    const proof = ticket === null ? { resume: this.resume?.token ?? '' } : { ticket }
    this.ticketForHello = null
    this.send({ type: 'hello', id: this.id(), ...proof, subscriptions })
  }

  /** Pings are answered at once; everything else waits for the next flush. */
  message(generation: number, text: string): void {
    if (generation !== this.generation) return
    this.expectFrames()
    if (text.includes('"type":"ping"')) this.answerPings(text)
    this.queue.push(text)
  }

  closed(generation: number, code: number): void {
    if (generation !== this.generation || !this.mounted) return
    this.queue.flush()
    const verdict = verdictOf(code)
    if (verdict.dropResume) this.resume = null
    if (verdict.recheckAccess) this.ports.recheckAccess()
    this.scheduleReconnect(verdict)
  }

  private async connect(): Promise<void> {
    const mine = ++this.generation
    this.report()
    if (!this.ports.online()) return
    if (!this.resume || Date.now() - this.resume.at > RESUME_LIFE_MS) {
      try {
        this.ticketForHello = await this.ports.ticket()
      } catch {
        if (mine === this.generation && this.running) this.scheduleReconnect(BACKOFF)
        return
      }
    }
    if (mine !== this.generation || !this.running) return
    this.mounted = true
    this.ports.mount(mine)
    this.setTimer('silence', OPEN_LIMIT_MS, () => this.scheduleReconnect(BACKOFF))
  }

  private scheduleReconnect(verdict: Verdict): void {
    this.disconnect()
    const delay = delayOf(verdict, this.attempt, this.retry, this.ports.chance())
    this.attempt += 1
    this.stopped = delay === null
    if (delay !== null && this.running) this.setTimer('reconnect', delay, () => void this.connect())
    this.report()
  }

  /** Gives the socket up and keeps the positions. */
  private disconnect(): void {
    this.generation += 1
    this.mounted = false
    this.send = null
    this.welcome = null
    this.queue.clear()
    for (const timer of this.timers.values()) clearTimeout(timer)
    this.timers.clear()
    this.positions = reconnected(this.positions)
    this.ports.mount(null)
  }

  private receiveTexts(texts: string[]): void {
    const effects = texts.flatMap(readFrames).flatMap((frame) => this.receiveFrame(frame))
    if (effects.length > 0) this.ports.apply(effects)
    for (const effect of effects) if (effect.type === 'sync') this.sync(effect)
    this.report()
    if (this.received - this.acknowledged >= ACK_FRAMES) this.acknowledge()
    else if (this.received > this.acknowledged && !this.timers.has('ack'))
      this.setTimer('ack', ACK_MS, () => this.acknowledge())
  }

  private receiveFrame(frame: ServerFrame): Effect[] {
    if (isDataFrame(frame)) this.received += 1
    switch (frame.type) {
      case 'welcome':
        this.welcomed(frame)
        return []
      case 'refreshed':
        this.rememberResume(frame.resume)
        this.refreshBefore(frame.expiresAt)
        return []
      case 'drain':
        this.setTimer('drain', frame.afterMs, () => this.reconnect())
        return []
      case 'error':
        return this.refused(frame)
      case 'ping':
      case 'ok':
        return []
      default: {
        const { positions, effects } = receive(this.positions, frame, Date.now())
        this.positions = positions
        return effects
      }
    }
  }

  /** The server refused a channel: for the moment (`retry`), or for good, and then the channel is lost. */
  private refused({ channel, code, retry }: Extract<ServerFrame, { type: 'error' }>): Effect[] {
    console.warn('live channel refused', code, channel)
    if (channel == null) return []
    if (retry) {
      const times = (this.refusals.get(channel) ?? 0) + 1
      this.refusals.set(channel, times)
      // The server answers a second `subscribe` of a channel like a `sync`.
      const ask = () =>
        this.send?.({ type: 'subscribe', id: this.id(), channel, ...since(this.positions[channel]?.at) })
      this.setTimer(`sync ${channel}`, this.retry.baseMs + backoffMs(times, this.retry, this.ports.chance()), ask)
      return []
    }
    const { positions, effects } = receive(this.positions, { type: 'unsubscribed', channel, code }, Date.now())
    this.positions = positions
    return effects
  }

  private welcomed(welcome: Welcome): void {
    this.welcome = welcome
    this.retry = welcome.retry
    this.received = 0
    this.acknowledged = 0
    this.refusals.clear()
    this.stopped = false
    const { greetedWith, wanted } = this
    this.sendChanges(
      greetedWith.filter((channel) => !wanted.includes(channel)),
      wanted.filter((channel) => !greetedWith.includes(channel)),
    )
    this.ports.serverTime(welcome.serverTime)
    this.rememberResume(welcome.resume)
    this.refreshBefore(welcome.expiresAt)
    this.setTimer('proof', PROOF_MS, () => {
      this.attempt = 0
    })
    this.expectFrames()
  }

  private rememberResume(token: string | null | undefined): void {
    if (token) this.resume = { token, at: Date.now() }
  }

  private refreshBefore(expiresAt: string): void {
    const left = Date.parse(expiresAt) - Date.now()
    this.setTimer('refresh', Math.max(ACK_MS, left * REFRESH_SHARE), () => void this.refresh())
  }

  private async refresh(): Promise<void> {
    const mine = this.generation
    const ticket = await this.ports.ticket().catch(() => null)
    if (ticket !== null && mine === this.generation) this.send?.({ type: 'refresh', id: this.id(), ticket })
  }

  private answerPings(text: string): void {
    for (const frame of readFrames(text)) {
      if (frame.type !== 'ping') continue
      this.send?.({ type: 'pong', n: frame.n })
      this.rememberResume(frame.resume)
    }
  }

  private sync({ channel, since: at, storm }: Extract<Effect, { type: 'sync' }>): void {
    const ask = () => this.send?.({ type: 'sync', id: this.id(), channel, ...since(at) })
    if (storm) this.setTimer(`sync ${channel}`, STORM_WAIT_MS.min + this.ports.chance() * STORM_WAIT_MS.spread, ask)
    else ask()
  }

  private acknowledge(): void {
    this.acknowledged = this.received
    this.send?.({ type: 'ack', frames: this.received })
  }

  /** Two heartbeats without any frame: the connection is dead, even if the socket still looks open. */
  private expectFrames(): void {
    if (!this.welcome) return
    this.setTimer('silence', 2 * this.welcome.heartbeatMs + HEARTBEAT_SLACK_MS, () => this.scheduleReconnect(BACKOFF))
  }

  private report(): void {
    const catchingUp = Object.keys(this.positions).filter((channel) => !this.positions[channel]?.live)
    const up = this.welcome !== null && catchingUp.length === 0
    const connection = !this.running ? 'off' : this.stopped ? 'stopped' : up ? 'live' : 'connecting'
    this.ports.report({ connection, catchingUp: this.welcome ? catchingUp : [] })
  }

  private setTimer(name: string, milliseconds: number, work: () => void): void {
    clearTimeout(this.timers.get(name))
    const timer = setTimeout(() => {
      this.timers.delete(name)
      work()
    }, milliseconds)
    this.timers.set(name, timer)
  }

  private id(): number {
    return this.nextId++
  }
}
