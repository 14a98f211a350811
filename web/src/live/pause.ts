// Keeps patches while the person has paused updates. Frames are still ordered and acknowledged; of each key the latest
// patch waits. The payment in the open payment dialog is not paused. No effect but its own state.
import type { Effect } from './apply-event'
import type { EventFrame } from './frames'
import type { Patch } from './patch-cache'

/** Above this many keys nothing is kept: everything is read again at the end of the pause. */
const MOST_WAITING = 500

export class PauseBuffer {
  private readonly waiting = new Map<string, Patch>()
  private overflowed = false
  paused = false

  /** The patches to apply now; the rest waits. */
  admit(patches: readonly Patch[], isExempt: (patch: Patch) => boolean): Patch[] {
    if (!this.paused) return [...patches]
    const now: Patch[] = []
    for (const patch of patches) {
      if (isExempt(patch)) now.push(patch)
      else this.hold(patch)
    }
    return now
  }

  get size(): number {
    return this.waiting.size
  }

  /** Ends the pause: what waited, in order of arrival, or `all` when it was too much. */
  release(): { patches: Patch[]; all: boolean } {
    const released = { patches: this.overflowed ? [] : [...this.waiting.values()], all: this.overflowed }
    this.waiting.clear()
    this.overflowed = false
    this.paused = false
    return released
  }

  private hold(patch: Patch): void {
    const key =
      patch.type === 'snapshot'
        ? patch.channel
        : `${patch.channel} ${patch.event.name} ${patch.event.key || unkeyed(patch.event)}`
    // A snapshot replaces every older patch of its channel.
    if (patch.type === 'snapshot')
      for (const key of this.waiting.keys()) if (key.startsWith(patch.channel)) this.waiting.delete(key)
    this.waiting.delete(key)
    this.waiting.set(key, patch)
    if (this.waiting.size > MOST_WAITING) this.overflowed = true
  }
}

/** Created objects wait beside each other; an updated object replaces its earlier state. */
function unkeyed({ name, seq }: EventFrame): string {
  return name.endsWith('.created') ? String(seq) : ''
}

export function isPatch(effect: Effect): effect is Patch {
  return effect.type === 'snapshot' || effect.type === 'event'
}
