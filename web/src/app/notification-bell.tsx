// The bell: the last notifications of this tab, newest first.
import { useState } from 'react'
import { relativeTime } from '../lib/dates'
import { BellIcon } from '../ui/icons'
import { Popover } from '../ui/popover'
import { markNotificationsRead, useNotifications, useUnreadCount } from '../ui/toast'

export function NotificationBell() {
  const notifications = useNotifications()
  const unread = useUnreadCount()
  const [openedAt, setOpenedAt] = useState(0)
  return (
    <Popover
      label="Notificações"
      onOpenChange={() => {
        setOpenedAt(Date.now())
        markNotificationsRead()
      }}
      trigger={
        <button
          type="button"
          aria-label={unread > 0 ? `Notificações, ${unread} novas` : 'Notificações'}
          className="relative grid size-10 shrink-0 place-items-center rounded-control hover:bg-sunken pointer-coarse:size-11"
        >
          <BellIcon className="size-5" strokeWidth={1.75} aria-hidden="true" />
          {unread > 0 && <span className="absolute top-2 right-2 size-2 rounded-full bg-beam" aria-hidden="true" />}
        </button>
      }
    >
      <h2 className="mb-3 text-body font-semibold">Notificações</h2>
      {notifications.length === 0 ? (
        <p className="text-muted">Nenhuma notificação ainda</p>
      ) : (
        <ul className="grid gap-3">
          {notifications.map((notification) => (
            <li key={notification.id} className="grid gap-0.5">
              <span>{notification.text}</span>
              {notification.detail && <span className="text-label text-muted">{notification.detail}</span>}
              <span className="text-caption text-muted tabular-nums">{relativeTime(notification.timestamp, openedAt)}</span>
            </li>
          ))}
        </ul>
      )}
    </Popover>
  )
}
