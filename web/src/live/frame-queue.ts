// Raw frames between their arrival and one batch per animation frame. Animation frames stop in hidden tabs: there the
// message itself flushes, at most once a second or at 32 frames, because a silent reader is dropped by the server.

const HIDDEN_FRAMES = 32
const HIDDEN_MS = 1_000
/** Above this many the queue is flushed at once. */
const MOST_FRAMES = 500

export class FrameQueue {
  private texts: string[] = []
  private frame: number | null = null
  private timer: ReturnType<typeof setTimeout> | undefined
  private lastFlush = 0

  constructor(
    private readonly hidden: () => boolean,
    private readonly take: (texts: string[]) => void,
  ) {}

  push(text: string): void {
    this.texts.push(text)
    const due = this.texts.length >= HIDDEN_FRAMES || Date.now() - this.lastFlush >= HIDDEN_MS
    if (this.texts.length > MOST_FRAMES || (this.hidden() && due)) this.flush()
    else if (this.hidden()) this.timer ??= setTimeout(() => this.flush(), HIDDEN_MS)
    else this.frame ??= requestAnimationFrame(() => this.flush())
  }

  /** Also when the tab was hidden after an animation frame had been asked for. */
  flush(): void {
    const { texts } = this
    this.clear()
    this.lastFlush = Date.now()
    if (texts.length > 0) this.take(texts)
  }

  clear(): void {
    this.texts = []
    if (this.frame !== null) cancelAnimationFrame(this.frame)
    this.frame = null
    clearTimeout(this.timer)
    this.timer = undefined
  }
}
