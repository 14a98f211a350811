// A REST answer that was under way while a live event came in may be older than the cached object. Invariant: an object
// with a version never moves back to a lower one.
import { replaceEqualDeep } from '@tanstack/react-query'

interface Versioned {
  id: string
  version: number
}

function isVersioned(value: unknown): value is Versioned {
  return typeof value === 'object' && value !== null && 'id' in value && 'version' in value
}

/** `structuralSharing` of queries whose object has a version: the same object of a lower version changes nothing. */
export function keepNewest(cached: unknown, next: unknown): unknown {
  const isOlder = isVersioned(cached) && isVersioned(next) && cached.id === next.id && next.version < cached.version
  return isOlder ? cached : replaceEqualDeep(cached, next)
}
