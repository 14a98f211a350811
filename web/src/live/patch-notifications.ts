// Writes events about the person's notifications into the query cache.
import type { QueryClient } from '@tanstack/react-query'
import {
  addNotification,
  markRead,
  notificationsKey,
  type Notification,
  type ReadNotifications,
} from '../api/notifications'
import type { EventFrame } from './frames'
import { serverNow } from './status'

export function patchNotifications(queries: QueryClient, { name, data, at }: EventFrame): void {
  if (name !== 'notification.read') addNotification(queries, data as Notification)
  // How many are left is of the moment of the event: a list that is younger is read again instead.
  else if (knownAt(queries) > Date.parse(at)) void queries.invalidateQueries({ queryKey: notificationsKey })
  else markRead(queries, data as ReadNotifications)
}

/** By the server's clock. */
function knownAt(queries: QueryClient): number {
  return (queries.getQueryState(notificationsKey)?.dataUpdatedAt ?? 0) + serverNow() - Date.now()
}
