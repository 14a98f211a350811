// How old the data of an answer was. A replica of the database may answer platform admins; it says by a header how far
// it is behind. An answer without the header is of now.
import { useSyncExternalStore } from 'react'
import { notifyManager, useQueryClient, type Query, type QueryClient, type QueryKey } from '@tanstack/react-query'

/** In seconds. */
const HEADER = 'x-data-age'
/** For each query: when its data was current, by this machine's clock. A query with current data has no entry. */
const instants = new WeakMap<Query, number>()

/** What a `queryFn` knows of its query. */
interface QueryRef {
  client: QueryClient
  queryKey: QueryKey
}

/** Remembers the age of what the query gets, and hands the answer on. */
export async function noteAge<S extends { response: Response }>(
  { client, queryKey }: QueryRef,
  sent: Promise<S>,
): Promise<S> {
  const answered = await sent
  const query = client.getQueryCache().find({ queryKey, exact: true })
  const seconds = Number(answered.response.headers.get(HEADER) ?? 0)
  if (query && seconds > 0) instants.set(query, Date.now() - seconds * 1000)
  else if (query) instants.delete(query)
  return answered
}

/** The oldest such instant among the visible queries under these keys. Null when all their data is current. */
export function oldestData(client: QueryClient, queryKeys: readonly QueryKey[]): number | null {
  const shown = queryKeys.flatMap((queryKey) => client.getQueryCache().findAll({ queryKey, type: 'active' }))
  const known = shown.flatMap((query) => instants.get(query) ?? [])
  return known.length === 0 ? null : Math.min(...known)
}

export function useOldestData(queryKeys: readonly QueryKey[]): number | null {
  const client = useQueryClient()
  return useSyncExternalStore(
    (onChange) => client.getQueryCache().subscribe(notifyManager.batchCalls(onChange)),
    () => oldestData(client, queryKeys),
  )
}
