// Writes events about the person's notifications into the query cache.
import type { QueryClient } from '@tanstack/react-query'
import { addNotification, markRead, type Notification, type ReadNotifications } from '../api/notifications'
import type { EventFrame } from './frames'

export function patchNotifications(queries: QueryClient, { name, data }: EventFrame): void {
  if (name === 'notification.read') markRead(queries, data as ReadNotifications)
  else addNotification(queries, data as Notification)
}
