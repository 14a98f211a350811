// The channels of this page: everyone reads `user` and `plans` and the selected company's; a screen adds its own while
// it is shown.
import { useEffect, useSyncExternalStore } from 'react'
import { Observable } from './status'

const extra = new Observable<readonly string[]>([])

/** Reads a further channel for as long as the calling screen is shown. */
export function useChannel(channel: string): void {
  useEffect(() => {
    extra.set([...extra.get(), channel])
    return () => {
      const at = extra.get().indexOf(channel)
      extra.set(extra.get().filter((_, index) => index !== at))
    }
  }, [channel])
}

export function useExtraChannels(): readonly string[] {
  return useSyncExternalStore(extra.subscribe, extra.get)
}
