// What the person is told of their companies, what of it is read, and what they want to be told. Cached as pages, the
// newest first; live events change the same pages.
import { infiniteQueryOptions, queryOptions, type InfiniteData, type QueryClient } from '@tanstack/react-query'
import { api, unwrap, type Schemas } from './client'
import { write } from './newest'

export type Notification = Schemas['Notification']
type NotificationPage = Schemas['Notifications']
type ReadNotifications = Schemas['ReadNotifications']
export type NotificationPreference = Schemas['NotificationPreferenceView']

/** Nobody counts unread ones beyond it. */
export const MOST_UNREAD = 100

export const notificationsKey = ['notifications'] as const
export const preferencesKey = ['notification-preferences'] as const

/** Twenty at a time. */
export function notificationsQuery() {
  return infiniteQueryOptions({
    queryKey: notificationsKey,
    queryFn: ({ pageParam: before, signal }) =>
      unwrap(api.GET('/api/notifications', { params: { query: before === null ? {} : { before } }, signal })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, notifications }) => (hasMore ? notifications.at(-1)?.id : undefined),
    select: ({ pages }) => ({
      notifications: pages.flatMap(({ notifications }) => notifications),
      unread: pages[0]?.unread ?? 0,
    }),
  })
}

type Pages = InfiniteData<NotificationPage, string | null>

function change(queries: QueryClient, next: (pages: NotificationPage[]) => NotificationPage[]): void {
  write<Pages>(queries, notificationsKey, (cached) => cached && { ...cached, pages: next(cached.pages) })
}

/** Puts a new one in front; one that is there already changes nothing. */
export function addNotification(queries: QueryClient, added: Notification): void {
  change(queries, (pages) => {
    const [first, ...rest] = pages
    if (!first || pages.some(({ notifications }) => notifications.some(({ id }) => id === added.id))) return pages
    const unread = Math.min(MOST_UNREAD, first.unread + (added.isRead ? 0 : 1))
    return [{ ...first, unread, notifications: [added, ...first.notifications] }, ...rest]
  })
}

/** The id of the newest one that this tab knows. */
export function newestNotification(queries: QueryClient): string | undefined {
  return queries.getQueryData<Pages>(notificationsKey)?.pages[0]?.notifications[0]?.id
}

/** Marks what was read, here or in another tab. Ids are UUIDv7, so their order is that of time. */
export function markRead(queries: QueryClient, { ids, until, unread }: ReadNotifications): void {
  const isMarked = (id: string) => ids.includes(id) || (until != null && id <= until)
  change(queries, (pages) =>
    pages.map((page) => ({
      ...page,
      unread,
      notifications: page.notifications.map((row) => (isMarked(row.id) ? { ...row, isRead: true } : row)),
    })),
  )
}

/** Answers how many are left unread. */
export function readNotifications(body: { ids?: string[]; until?: string }): Promise<number> {
  return unwrap(api.POST('/api/notifications/read', { body })).then(({ unread }) => unread)
}

export function preferencesQuery() {
  return queryOptions({
    queryKey: preferencesKey,
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/notifications/preferences', { signal })).then(({ preferences }) => preferences),
  })
}

export function savePreference({ kind, screen, email }: NotificationPreference): Promise<NotificationPreference[]> {
  const body = { preferences: [{ kind, screen, email }] }
  return unwrap(api.PUT('/api/notifications/preferences', { body })).then(({ preferences }) => preferences)
}
