// The list of the bell: page by page, each line with its link. Following one reads it, a button reads them all.
import { useRef, useState } from 'react'
import { useMutation, useQueryClient, type UseInfiniteQueryResult } from '@tanstack/react-query'
import { Link } from 'react-router'
import { asApiError } from '../../api/errors'
import { notificationWords } from '../../live/notification-words'
import {
  markRead,
  newestNotification,
  notificationsKey,
  readNotifications,
  type Notification,
} from '../../api/notifications'
import { useCompany } from '../../auth/company'
import { relativeTime } from '../../lib/dates'
import { paths } from '../../lib/paths'
import { serverNow } from '../../live/server-clock'
import { useIsLive } from '../../live/status'
import { Button } from '../../ui/button'
import { DataArea } from '../../ui/data-area'
import { FailureAlert } from '../../ui/failure-alert'
import { BellIcon } from '../../ui/icons'
import { LoadMore } from '../../ui/pager'
import { PopoverClose } from '../../ui/popover'
import { SkeletonLines } from '../../ui/skeleton'
import { NotificationRow } from './notification-row'

interface NotificationsProps {
  query: UseInfiniteQueryResult<{ notifications: Notification[]; unread: number }>
}

export default function Notifications({ query }: NotificationsProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const marking = useMarkRead()
  const [now] = useState(serverNow)
  const newest = query.data?.notifications[0]
  /** For a button that goes with what it does. */
  const keepFocus = () => heading.current?.focus()
  const readAll = () => {
    keepFocus()
    if (newest) marking.mutate({ until: newest.id })
  }
  return (
    <section>
      <div className="mb-3 flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h2 ref={heading} tabIndex={-1} className="text-body font-semibold">
          Notificações
        </h2>
        {(query.data?.unread ?? 0) > 0 && (
          <Button variant="ghost" size="small" onClick={readAll}>
            Marcar todas como lidas
          </Button>
        )}
      </div>
      <FailureAlert
        className="mb-3"
        title="Erro ao marcar como lida"
        failure={marking.error && asApiError(marking.error)}
      />
      <DataArea
        query={query}
        live={useIsLive()}
        errorTitle="Erro ao carregar notificações"
        skeleton={<SkeletonLines count={6} />}
        isEmpty={({ notifications }) => notifications.length === 0}
        empty={{ icon: BellIcon, text: 'Nenhuma notificação ainda' }}
      >
        {({ notifications }) => (
          <ul role="list" className="-mx-2 grid">
            {notifications.map((notification) => (
              <li key={notification.id}>
                <Line
                  notification={notification}
                  now={now}
                  onRead={() => marking.mutate({ ids: [notification.id] })}
                  keepFocus={keepFocus}
                />
              </li>
            ))}
          </ul>
        )}
      </DataArea>
      <LoadMore query={query} size="small" className="mt-3" />
      <p className="mt-3 text-label">
        <PopoverClose asChild>
          <Link to={paths.account} className="link">
            Escolher o que recebo
          </Link>
        </PopoverClose>
      </p>
    </section>
  )
}

function useMarkRead() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: readNotifications,
    onMutate: () => newestNotification(queries),
    onSuccess: (unread, { ids = [], until = null }, newest) => {
      markRead(queries, { ids, until, unread })
      // The answer may be older than what came live meanwhile, and then does not count it.
      if (newestNotification(queries) !== newest) void queries.invalidateQueries({ queryKey: notificationsKey })
    },
  })
}

const line = 'block w-full rounded-control px-2 py-2 text-text no-underline hover:bg-sunken dark:hover:bg-surface'

interface LineProps {
  notification: Notification
  now: number
  onRead: () => void
  keepFocus: () => void
}

/** Leads to the page of its company, which becomes the current one. Without such a page a press only reads it. */
function Line({ notification, now, onRead, keepFocus }: LineProps) {
  const { companies, company, select } = useCompany()
  const { tone, title, detail, path } = notificationWords(notification)
  const unread = !notification.isRead
  const target = companies.find(({ id }) => id === notification.companyId)
  const row = (
    <NotificationRow
      tone={tone}
      title={title}
      detail={detail}
      when={relativeTime(notification.at, now)}
      unread={unread}
    />
  )
  if (path !== null && target) {
    const follow = () => {
      if (unread) onRead()
      if (target.id !== company?.id) select(target)
    }
    return (
      <PopoverClose asChild>
        <Link to={path} className={line} onClick={follow}>
          {row}
        </Link>
      </PopoverClose>
    )
  }
  if (!unread) return <span className={line}>{row}</span>
  const read = () => {
    keepFocus()
    onRead()
  }
  return (
    <button type="button" className={line} onClick={read}>
      {row}
    </button>
  )
}
