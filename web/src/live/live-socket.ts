// One socket of the live connection, from its opening to its end: hello, channels, acknowledgements, heartbeat and the
// refresh of its access. `connection.ts` owns one, or two while the next takes over, and decides what the frames of
// channels mean; no position is known here. Rules: docs/contract.md, "Live protocol".
import { FrameQueue } from './frame-queue'
import { isDataFrame, readFrames, type ClientFrame, type ServerFrame, type Subscription, type Welcome } from './frames'
import { reconnectPolicyOf, type ReconnectPolicy } from './reconnect'

const ACK_FRAMES = 32
/** Above this much text, too: the server sends no more behind 48 KiB that are not acknowledged. */
const ACK_LENGTH = 16 * 1024
const ACK_MS = 1_000
/** A connection that lasted this long after its `welcome` resets the counter of attempts. */
const PROOF_MS = 10_000
const HEARTBEAT_SLACK_MS = 10_000
const OPEN_LIMIT_MS = 10_000
const REFRESH_SHARE = 0.8

export const BACKOFF: ReconnectPolicy = reconnectPolicyOf(1006)

/** What the socket itself does not answer: frames about channels. */
export type ForwardedFrame = Extract<
  ServerFrame,
  { type: 'snapshot' | 'event' | 'live' | 'reset' | 'heads' | 'unsubscribed' | 'error' }
>

/** The connection as its sockets see it. */
export interface SocketOwner {
  ticket: () => Promise<string>
  hidden: () => boolean
  welcomed: (welcome: Welcome) => void
  /** A newer token for `hello`. */
  remember: (resume: string) => void
  /** The frames of one batch, in order; also when none of them is about a channel. */
  forward: (socket: LiveSocket, frames: ForwardedFrame[]) => void
  /** The server wants this socket to move to another node now. */
  drained: (socket: LiveSocket) => void
  proven: () => void
  /** Nothing came for too long. */
  failed: (socket: LiveSocket, policy: ReconnectPolicy) => void
}

export type Proof = { ticket: string } | { resume: string }

export class LiveSocket {
  /** Null until the server took the hello. */
  welcome: Welcome | null = null
  /** Whether the page has a socket for it. */
  mounted = false
  /** Taken for its hello; without one the hello resumes. */
  ticket: string | null = null
  /** The channels that have caught up on this socket. */
  readonly caughtUp = new Set<string>()
  private send: ((frame: ClientFrame) => void) | null = null
  /** The channels that the server was asked for on this socket, and those that the page wants. */
  private asked: readonly string[] = []
  private wanted: readonly string[] = []
  /** How often a channel was refused for the moment since it was live. */
  private readonly refusals = new Map<string, number>()
  private readonly queue: FrameQueue
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>()
  private received = 0
  private acknowledged = 0
  /** Characters that came since the last acknowledgement. */
  private unacknowledgedLength = 0
  private nextId = 1
  /** When the last frame came, by a clock that goes on while the device sleeps; timers may not. */
  private heardAt = Date.now()
  /**
   * Server time minus the time of this page: how long an access lasts is told by the server's clock. That of the device
   * may be wrong, and set meanwhile.
   */
  private clockOffsetMs = 0

  constructor(
    readonly socketId: number,
    private readonly owner: SocketOwner,
  ) {
    this.queue = new FrameQueue(owner.hidden, (texts) => this.receive(texts))
  }

  /** The page opens its socket now. */
  mount(): void {
    this.mounted = true
    this.failAfter(OPEN_LIMIT_MS)
  }

  /** The socket is open. */
  sendHello(send: (text: string) => void, proof: Proof, subscriptions: Subscription[]): void {
    this.send = (frame) => send(JSON.stringify(frame))
    this.asked = subscriptions.map(({ channel }) => channel)
    this.wanted = this.asked
    this.send({ type: 'hello', id: this.id(), ...proof, subscriptions })
  }

  /** Subscribes to what is new and leaves what is gone; before the welcome that waits for it. */
  setChannels(channels: readonly string[]): void {
    this.wanted = channels
    if (!this.welcome) return
    const { asked } = this
    this.asked = channels
    for (const channel of asked)
      if (!channels.includes(channel)) this.send?.({ type: 'unsubscribe', id: this.id(), channel })
    for (const channel of channels) if (!asked.includes(channel)) this.subscribe({ channel })
  }

  subscribe(subscription: Subscription): void {
    this.send?.({ type: 'subscribe', id: this.id(), ...subscription })
  }

  sync(subscription: Subscription): void {
    this.send?.({ type: 'sync', id: this.id(), ...subscription })
  }

  /** Whether the server took the hello and every channel has caught up. */
  isCaughtUp(): boolean {
    return this.welcome !== null && this.asked.every((channel) => this.caughtUp.has(channel))
  }

  /** Whether the server took the hello and was heard lately. */
  isAlive(): boolean {
    return this.welcome !== null && Date.now() - this.heardAt <= longestSilence(this.welcome)
  }

  /** Pings are answered at once; everything else waits for the next flush. */
  message(text: string): void {
    this.expectFrames()
    if (text.includes('"type":"ping"')) this.answerPings(text)
    this.queue.push(text)
  }

  flush(): void {
    this.queue.flush()
  }

  /** Gives the socket up. */
  end(): void {
    this.mounted = false
    this.send = null
    this.queue.clear()
    for (const timer of this.timers.values()) clearTimeout(timer)
    this.timers.clear()
  }

  /** How often the channel was refused for the moment, this time included. */
  refusedAgain(channel: string): number {
    const times = (this.refusals.get(channel) ?? 0) + 1
    this.refusals.set(channel, times)
    return times
  }

  /** A later call of the same name takes the place of an earlier one; the end of the socket ends them all. */
  after(name: string, milliseconds: number, work: () => void): void {
    clearTimeout(this.timers.get(name))
    const timer = setTimeout(() => {
      this.timers.delete(name)
      work()
    }, milliseconds)
    this.timers.set(name, timer)
  }

  private receive(texts: string[]): void {
    const frames = texts.flatMap(readFrames)
    this.received += frames.filter(isDataFrame).length
    this.unacknowledgedLength += texts.reduce((length, text) => length + text.length, 0)
    this.owner.forward(
      this,
      frames.filter((frame): frame is ForwardedFrame => !this.handles(frame)),
    )
    const waiting = this.received - this.acknowledged
    if (waiting >= ACK_FRAMES || (waiting > 0 && this.unacknowledgedLength >= ACK_LENGTH)) this.acknowledge()
    else if (waiting > 0 && !this.timers.has('ack')) this.after('ack', ACK_MS, () => this.acknowledge())
  }

  /** True for what is about the socket alone. Of the channels it notes which have caught up. */
  private handles(frame: ServerFrame): boolean {
    switch (frame.type) {
      case 'welcome':
        this.welcomed(frame)
        return true
      case 'refreshed':
        this.remember(frame.resume)
        this.refreshBefore(frame.expiresAt)
        return true
      case 'drain':
        this.after('drain', frame.afterMs, () => this.owner.drained(this))
        return true
      case 'ping':
      case 'ok':
        return true
      case 'live':
        this.caughtUp.add(frame.channel)
        this.refusals.delete(frame.channel)
        return false
      case 'reset':
        this.caughtUp.delete(frame.channel)
        return false
      case 'unsubscribed':
        this.forget(frame.channel)
        return false
      case 'error':
        if (!frame.retry) this.forget(frame.channel)
        return false
      default:
        return false
    }
  }

  private forget(lost: string | null | undefined): void {
    this.asked = this.asked.filter((channel) => channel !== lost)
  }

  private welcomed(welcome: Welcome): void {
    this.welcome = welcome
    this.clockOffsetMs = Date.parse(welcome.serverTime) - performance.now()
    this.owner.welcomed(welcome)
    this.setChannels(this.wanted)
    this.remember(welcome.resume)
    this.refreshBefore(welcome.expiresAt)
    this.after('proof', PROOF_MS, () => this.owner.proven())
    this.expectFrames()
  }

  private remember(resume: string | null | undefined): void {
    if (resume) this.owner.remember(resume)
  }

  private refreshBefore(expiresAt: string): void {
    const left = Date.parse(expiresAt) - performance.now() - this.clockOffsetMs
    this.after('refresh', Math.max(ACK_MS, left * REFRESH_SHARE), () => void this.refresh())
  }

  private async refresh(): Promise<void> {
    const ticket = await this.owner.ticket().catch(() => null)
    if (ticket !== null) this.send?.({ type: 'refresh', id: this.id(), ticket })
  }

  private answerPings(text: string): void {
    for (const frame of readFrames(text)) {
      if (frame.type !== 'ping') continue
      this.send?.({ type: 'pong', n: frame.n })
      this.remember(frame.resume)
    }
  }

  private acknowledge(): void {
    this.acknowledged = this.received
    this.unacknowledgedLength = 0
    this.send?.({ type: 'ack', frames: this.received })
  }

  private expectFrames(): void {
    this.heardAt = Date.now()
    if (this.welcome) this.failAfter(longestSilence(this.welcome))
  }

  private failAfter(milliseconds: number): void {
    this.after('silence', milliseconds, () => this.owner.failed(this, BACKOFF))
  }

  private id(): number {
    return this.nextId++
  }
}

/** After two heartbeats without any frame the connection is dead, even if the socket still looks open. */
function longestSilence({ heartbeatMs }: Welcome): number {
  return 2 * heartbeatMs + HEARTBEAT_SLACK_MS
}
