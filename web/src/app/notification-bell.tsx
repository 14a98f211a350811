// The bell: what the person was told of their companies, the same in every tab, and below it what this tab has said.
import { Suspense, useState } from 'react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { lazyPart } from '../api/lazy-part'
import { MOST_UNREAD, notificationsQuery } from '../api/notifications'
import { relativeTime } from '../lib/dates'
import { NotificationRow } from '../features/notifications/notification-row'
import { BellIcon } from '../ui/icons'
import { Popover } from '../ui/popover'
import { SkeletonLines } from '../ui/skeleton'
import { markToastsRead, useToasts } from '../ui/toast'

/** A chunk that is loaded when the bell first opens. */
const Notifications = lazyPart(() => import('../features/notifications/notifications'))

export function NotificationBell() {
  const query = useInfiniteQuery(notificationsQuery())
  const tab = useToasts()
  const [openedAt, setOpenedAt] = useState(0)
  const own = tab.toasts.filter(({ listed }) => !listed)
  const unread = (query.data?.unread ?? 0) + tab.unread
  return (
    <Popover
      label="Notificações"
      onOpenChange={() => {
        setOpenedAt(Date.now())
        markToastsRead()
      }}
      trigger={
        <button
          type="button"
          aria-label={bellLabel(unread)}
          className="relative grid size-10 shrink-0 place-items-center rounded-control hover:bg-sunken pointer-coarse:size-11"
        >
          <BellIcon className="size-5" />
          {unread > 0 && <span className="absolute top-2 right-2 size-2 rounded-full bg-beam" aria-hidden="true" />}
        </button>
      }
    >
      <Suspense fallback={<SkeletonLines count={6} />}>
        <Notifications query={query} />
      </Suspense>
      {own.length > 0 && (
        <section aria-labelledby="bell-tab" className="mt-4 border-t border-line pt-3">
          <h2 id="bell-tab" className="mb-2 text-label font-medium text-muted">
            Avisos desta aba
          </h2>
          <ul role="list" className="grid gap-3">
            {own.map(({ id, tone, text, detail, timestamp }) => (
              <li key={id}>
                <NotificationRow tone={tone} title={text} detail={detail} when={relativeTime(timestamp, openedAt)} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </Popover>
  )
}

function bellLabel(unread: number): string {
  if (unread === 0) return 'Notificações'
  if (unread >= MOST_UNREAD) return `Notificações, ${MOST_UNREAD} novas ou mais`
  return unread === 1 ? 'Notificações, 1 nova' : `Notificações, ${unread} novas`
}
