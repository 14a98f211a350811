// Writes to the query cache that do not come from the query's own answer: live events and the answers of commands. A
// REST answer that is under way may be older than they are. Invariant: within one history of the database an object
// with a version never moves back to a lower one.
import { replaceEqualDeep, type QueryClient, type QueryKey, type Updater } from '@tanstack/react-query'

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

/** A REST call that is under way may answer with a state before `data`: its query is fetched again. */
export function write<T>(queries: QueryClient, queryKey: QueryKey, data: Updater<T | undefined, T | undefined>): void {
  const underWay = queries.getQueryState(queryKey)?.fetchStatus === 'fetching'
  queries.setQueryData<T>(queryKey, data)
  if (underWay) void queries.invalidateQueries({ queryKey, exact: true })
}

/** Writes the object unless the cache has this version of it, or a later one. */
export function writeNewer<T extends Versioned>(queries: QueryClient, queryKey: QueryKey, data: T): void {
  const cached = queries.getQueryData<T | null>(queryKey)
  if (cached && cached.id === data.id && cached.version >= data.version) return
  write(queries, queryKey, data)
}
