// Paces what live frames do to a screen: many come in a second, and nobody reads that fast.

/** Calls through at once and then at most once an interval, with the latest value, however the clock is set. */
export class Throttle<T> {
  private lastAt = Number.NEGATIVE_INFINITY
  private timer: ReturnType<typeof setTimeout> | undefined
  private latest: { value: T } | null = null

  constructor(
    private readonly everyMs: number,
    private readonly act: (value: T) => void,
  ) {}

  push(value: T): void {
    this.latest = { value }
    this.timer ??= setTimeout(() => this.flush(), Math.max(0, this.lastAt + this.everyMs - performance.now()))
  }

  /** What waits for its turn is done now. */
  settle(): void {
    if (this.timer === undefined) return
    clearTimeout(this.timer)
    this.flush()
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.latest = null
  }

  private flush(): void {
    this.timer = undefined
    this.lastAt = performance.now()
    const { latest } = this
    this.latest = null
    if (latest) this.act(latest.value)
  }
}
