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

export function patchNotifications(queries: QueryClient, { name, data }: EventFrame): void {
  if (name === 'notification.read') {
    markRead(queries, data as ReadNotifications)
    return
  }
  const added = data as Notification
  addNotification(queries, added)
  // What was told of that company before is gone with it.
  if (added.topic === 'company.ended') void queries.invalidateQueries({ queryKey: notificationsKey })
}
