// The live connection of a tab: the order of channels, reconnects, and the move to another node, without React and
// without a socket of its own. `socket.tsx` mounts a socket for each current generation and hands in what it reports;
// reports of an older generation are ignored, because a closed socket still reports for seconds. Rules:
// docs/contract.md, "Live protocol".
//
// When a node drains, the next socket opens beside the current one. Until every channel has caught up there, the
// current one alone moves the positions, and what the next one brings is held. Then the next one takes over and the
// held frames follow: the positions drop those that were applied, so nothing is missed and nothing is applied twice.
import { receive, reconnected, subscribed, unsubscribed, type Effect, type Positions } from './apply-event'
import { subscription, type Welcome } from './frames'
import { BACKOFF, Link, type Owner, type ForwardedFrame } from './link'
import type { Ports } from './ports'
import { backoffMs, DEFAULT_RETRY, delayOf, verdictOf, type Retry, type Verdict } from './reconnect'

const RESUME_LIFE_MS = 5 * 60_000
const STORM_WAIT_MS = { min: 5_000, spread: 25_000 }

export class Connection {
  private generation = 0
  private running = false
  private stopped = false
  /** The socket whose frames count. */
  private current: Link | null = null
  /** The socket that takes over as soon as it has caught up, and what it brought so far. */
  private next: { link: Link; held: ForwardedFrame[] } | null = null
  private retry: Retry = DEFAULT_RETRY
  private attempt = 0
  private reconnecting: ReturnType<typeof setTimeout> | undefined
  private resume: { token: string; at: number } | null = null
  private positions: Positions = {}
  private wanted: readonly string[] = []
  private readonly owner: Owner

  constructor(private readonly ports: Ports) {
    this.owner = {
      ticket: ports.ticket,
      hidden: ports.hidden,
      welcomed: (welcome) => this.welcomed(welcome),
      remember: (token) => (this.resume = { token, at: Date.now() }),
      forward: (link, frames) => this.take(link, frames),
      drained: (link) => this.drained(link),
      proven: () => (this.attempt = 0),
      failed: (link, verdict) => this.failed(link, verdict),
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

  /** The network or the tab is back: at once, unless a connection stands. */
  wake(): void {
    if (!this.current?.welcome && this.running && !this.stopped) this.reconnect()
    else if (!this.ports.hidden()) for (const link of this.links()) link.flush()
  }

  setChannels(channels: readonly string[]): void {
    for (const channel of this.wanted)
      if (!channels.includes(channel)) this.positions = unsubscribed(this.positions, channel)
    for (const channel of channels) this.positions = subscribed(this.positions, channel)
    this.wanted = channels
    for (const link of this.links()) link.want(channels)
    this.report()
  }

  opened(generation: number, send: (text: string) => void): void {
    const link = this.linkOf(generation)
    const proof = link?.ticket == null ? { resume: this.resume?.token ?? '' } : { ticket: link.ticket }
    const subscriptions = this.wanted.map((channel) => subscription(channel, this.positions[channel]?.at))
    link?.greet(send, proof, subscriptions)
  }

  message(generation: number, text: string): void {
    this.linkOf(generation)?.message(text)
  }

  closed(generation: number, code: number): void {
    const link = this.linkOf(generation)
    if (!link) return
    link.flush()
    this.failed(link, verdictOf(code))
  }

  private links(): Link[] {
    return [this.current, this.next?.link].filter((link) => link != null)
  }

  private linkOf(generation: number): Link | undefined {
    return this.links().find((link) => link.generation === generation)
  }

  /** Opens a socket, beside the current one if there is one. */
  private async connect(): Promise<void> {
    this.report()
    if (!this.ports.online()) return
    const link = new Link(++this.generation, this.owner)
    if (this.current) this.next = { link, held: [] }
    else this.current = link
    if (!this.resume || Date.now() - this.resume.at > RESUME_LIFE_MS) {
      try {
        link.ticket = await this.ports.ticket()
      } catch {
        if (this.links().includes(link)) this.failed(link, BACKOFF)
        return
      }
    }
    if (!this.links().includes(link)) return
    link.mount()
    this.mount()
  }

  private drained(link: Link): void {
    if (link !== this.current || this.next) return
    void this.connect()
  }

  /** The next socket takes over, also from a current one that ended before the next had caught up. */
  private takeOver({ link, held }: { link: Link; held: ForwardedFrame[] }): void {
    this.current?.end()
    this.current = link
    this.next = null
    this.positions = reconnected(this.positions, this.wanted, link.caughtUp)
    this.mount()
    this.take(link, held)
  }

  private failed(link: Link, verdict: Verdict): void {
    if (verdict.dropResume) this.resume = null
    if (verdict.recheckAccess) this.ports.recheckAccess()
    if (link === this.next?.link) {
      link.end()
      this.next = null
      this.mount()
    } else if (this.next) this.takeOver(this.next)
    else this.scheduleReconnect(verdict)
  }

  private scheduleReconnect(verdict: Verdict): void {
    this.disconnect()
    const delay = delayOf(verdict, this.attempt, this.retry, this.ports.chance())
    this.attempt += 1
    this.stopped = delay === null
    if (delay !== null && this.running) this.reconnecting = setTimeout(() => void this.connect(), delay)
    this.report()
  }

  /** Gives the sockets up and keeps the positions. */
  private disconnect(): void {
    for (const link of this.links()) link.end()
    this.current = null
    this.next = null
    clearTimeout(this.reconnecting)
    this.positions = reconnected(this.positions, this.wanted)
    this.mount()
  }

  private mount(): void {
    this.ports.mount(this.links().flatMap(({ mounted, generation }) => (mounted ? [generation] : [])))
  }

  private welcomed(welcome: Welcome): void {
    this.retry = welcome.retry
    this.stopped = false
    this.ports.welcomed(welcome.serverTime)
  }

  private take(link: Link, frames: ForwardedFrame[]): void {
    if (link === this.next?.link) {
      this.next.held.push(...frames)
      if (link.isCaughtUp()) this.takeOver(this.next)
      return
    }
    const effects = frames.flatMap((frame) => this.receive(link, frame))
    if (effects.length > 0) this.ports.apply(effects)
    for (const effect of effects) if (effect.type === 'sync') this.sync(link, effect)
    this.report()
  }

  private receive(link: Link, frame: ForwardedFrame): Effect[] {
    if (frame.type === 'error') return this.refused(link, frame)
    const { positions, effects } = receive(this.positions, frame, Date.now())
    this.positions = positions
    return effects
  }

  /** The server refused a channel: for the moment (`retry`), or else for as long as this socket lives. */
  private refused(link: Link, { channel, code, retry }: Extract<ForwardedFrame, { type: 'error' }>): Effect[] {
    console.warn('live channel refused', code, channel)
    if (channel == null) return []
    if (!retry) return this.receive(link, { type: 'unsubscribed', channel, code })
    // The server answers a second `subscribe` of a channel like a `sync`.
    const ask = () => link.subscribe(subscription(channel, this.positions[channel]?.at))
    const wait = backoffMs(link.refusedAgain(channel), this.retry, this.ports.chance())
    link.after(`sync ${channel}`, this.retry.baseMs + wait, ask)
    return []
  }

  private sync(link: Link, { channel, since: at, storm }: Extract<Effect, { type: 'sync' }>): void {
    const ask = () => link.sync(subscription(channel, at))
    if (storm) link.after(`sync ${channel}`, STORM_WAIT_MS.min + this.ports.chance() * STORM_WAIT_MS.spread, ask)
    else ask()
  }

  private report(): void {
    const welcomed = this.current?.welcome != null
    // A lost channel counts, too: until the page wants it no longer, what it shows of it is not live.
    const up = welcomed && this.wanted.every((channel) => this.positions[channel]?.live)
    const connection = !this.running ? 'off' : this.stopped ? 'stopped' : up ? 'live' : 'connecting'
    this.ports.report({ connection })
  }
}
