// Keeps patches while the person has paused updates. Frames are still ordered and acknowledged; of each key the latest
// patch waits, and of what adds up every one. The payment in the open payment dialog is not paused. No effect but its
// own state.
import type { Effect } from './apply-event'
import type { EventFrame } from './frames'
import type { Patch } from './patch-cache'

/** Above this many keys nothing is kept: everything is read again at the end of the pause. */
const MOST_WAITING = 500

export class PauseBuffer {
  private readonly waiting = new Map<string, Patch>()
  /** How many came when they had become too many to keep; 0 while they are kept. */
  private dropped = 0
  paused = false

  /** The patches to apply now; the rest waits. */
  admit(patches: readonly Patch[], isExempt: (patch: Patch) => boolean): Patch[] {
    if (!this.paused) return [...patches]
    const now: Patch[] = []
    for (const patch of patches) {
      // A snapshot replaces every older patch of its channel.
      if (patch.type === 'snapshot')
        for (const key of this.waiting.keys()) if (key.startsWith(patch.channel)) this.waiting.delete(key)
      if (isExempt(patch)) now.push(patch)
      else this.hold(patch)
    }
    return now
  }

  get size(): number {
    return this.dropped || this.waiting.size
  }

  /** Ends the pause: what waited, in order of arrival, or `all` when it was too much. */
  release(): { patches: Patch[]; all: boolean } {
    const released = { patches: [...this.waiting.values()], all: this.dropped > 0 }
    this.waiting.clear()
    this.dropped = 0
    this.paused = false
    return released
  }

  private hold(patch: Patch): void {
    if (this.dropped > 0) {
      this.dropped += 1
      return
    }
    const key = patch.type === 'snapshot' ? patch.channel : keyOf(patch.event)
    this.waiting.delete(key)
    this.waiting.set(key, patch)
    if (this.waiting.size <= MOST_WAITING) return
    this.dropped = this.waiting.size
    this.waiting.clear()
  }
}

/**
 * An updated object replaces its earlier state. Created objects wait beside each other, and so do read marks: each names
 * only what was read just then, under the person's own key.
 */
function keyOf({ channel, name, key, seq }: EventFrame): string {
  const addsUp = name === 'notification.read' || (name.endsWith('.created') && !key)
  return `${channel} ${name} ${addsUp ? seq : key}`
}

export function isPatch(effect: Effect): effect is Patch {
  return effect.type === 'snapshot' || effect.type === 'event'
}
