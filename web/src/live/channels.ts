// The channels of this page: everyone reads `user` and `plans` and the selected company's; a screen adds its own while
// it is shown, and may read what comes through it. Readers see patches in the channel's order, after the shared cache.
import { useEffect, useEffectEvent } from 'react'
import { Observable } from '../lib/observable'
import type { Patch } from './patch-cache'

type Reader = (patch: Patch) => void

/** The channels of the shown screens, beside those that every page reads. */
export const extraChannels = new Observable<readonly string[]>([])
const readers = new Map<string, Set<Reader>>()

/** Reads a further channel for as long as the calling screen is shown. */
export function useChannel(channel: string, read?: Reader): void {
  const onPatch = useEffectEvent((patch: Patch) => read?.(patch))
  useEffect(() => {
    const reader: Reader = (patch) => onPatch(patch)
    const known = readers.get(channel) ?? new Set()
    readers.set(channel, known.add(reader))
    extraChannels.set([...extraChannels.get(), channel])
    return () => {
      known.delete(reader)
      const at = extraChannels.get().indexOf(channel)
      extraChannels.set(extraChannels.get().toSpliced(at, 1))
    }
  }, [channel])
}

/** Hands a patch to the screens that read its channel. */
export function notifyReaders(patch: Patch): void {
  for (const read of readers.get(patch.channel) ?? []) read(patch)
}
