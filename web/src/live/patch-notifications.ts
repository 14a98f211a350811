// Writes what was read of the person's notifications, here or in another tab, into the query cache.
import type { QueryClient } from '@tanstack/react-query'
import type { Schemas } from '../api/client'
import { markRead, notificationsKey } from '../api/notifications'
import { byServerClock } from './server-clock'

/** How many are left is of the moment of the event: a list that is younger is read again instead. */
export function patchRead(queries: QueryClient, { data, at }: Schemas['NotificationReadEvent']): void {
  if (knownAt(queries) > Date.parse(at)) void queries.invalidateQueries({ queryKey: notificationsKey })
  else markRead(queries, data)
}

function knownAt(queries: QueryClient): number {
  return byServerClock(queries.getQueryState(notificationsKey)?.dataUpdatedAt ?? 0)
}
