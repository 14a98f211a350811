// An answer that was under way while a live event came in may be older than what the cache holds by then. Invariant: an
// object that carries a version never moves back, whoever writes it last.
import { replaceEqualDeep } from '@tanstack/react-query'

interface Versioned {
  id: string
  version: number
}

function isVersioned(value: unknown): value is Versioned {
  return typeof value === 'object' && value !== null && 'id' in value && 'version' in value
}

/** `structuralSharing` of queries whose object has a version: the same object of a lower version changes nothing. */
export function keepNewest(held: unknown, next: unknown): unknown {
  const isOlder = isVersioned(held) && isVersioned(next) && held.id === next.id && next.version < held.version
  return isOlder ? held : replaceEqualDeep(held, next)
}
