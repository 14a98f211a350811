// @vitest-environment happy-dom
// What an event means for the list of the bell.
import type { QueryClient } from '@tanstack/react-query'
import { beforeEach, describe, expect, test } from 'vitest'
import { emptyCache } from '../../test/cache'
import { notificationsKey } from '../api/notifications'
import type { EventFrame, EventName } from './frames'
import { patchCache } from './patch-cache'
import { serverNow } from './server-clock'

let queries: QueryClient
beforeEach(() => {
  queries = emptyCache()
})

const tell = (name: EventName, data: unknown, at = new Date(serverNow()).toISOString()) => {
  const event = { type: 'event', channel: 'user', seq: 1, name, key: 'n1', data, at } as EventFrame
  patchCache(queries, { type: 'event', channel: 'user', event })
}

test('a new notification stands in front of those that are shown', () => {
  queries.setQueryData(notificationsKey, { pages: [{ notifications: [{ id: 'n1' }], unread: 0 }], pageParams: [null] })
  tell('notification.created', { id: 'n2', isRead: false })
  expect(queries.getQueryData(notificationsKey)).toMatchObject({
    pages: [{ notifications: [{ id: 'n2' }, { id: 'n1' }], unread: 1 }],
  })
})

describe('what was read in another tab', () => {
  const shown = { notifications: [{ id: 'n2' }, { id: 'n1', isRead: false }], unread: 2 }
  const readAt = (at: number) => {
    queries.setQueryData(notificationsKey, { pages: [shown], pageParams: [null] })
    const data = { ids: ['n1'], unread: 1 }
    tell('notification.read', data, new Date(serverNow() + at).toISOString())
    return queries.getQueryData(notificationsKey)
  }

  test('is marked, with the count of what is left', () => {
    expect(readAt(1)).toMatchObject({ pages: [{ notifications: [{ id: 'n2' }, { isRead: true }], unread: 1 }] })
    expect(queries.getQueryState(notificationsKey)?.isInvalidated).toBe(false)
  })

  test('sets nothing back in a list that was read since: it is read again', () => {
    expect(readAt(-1_000)).toMatchObject({ pages: [shown] })
    expect(queries.getQueryState(notificationsKey)?.isInvalidated).toBe(true)
  })
})
