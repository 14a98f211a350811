// The bell: the last notifications of this tab, newest first.
import { useState } from 'react'
import { relativeTime } from '../lib/dates'
import { cx } from '../ui/cx'
import { BellIcon, ErrorIcon, InfoIcon, SuccessIcon, WarningIcon, type Icon } from '../ui/icons'
import { Popover } from '../ui/popover'
import { markNotificationsRead, useNotifications, type Notification } from '../ui/toast'

export function NotificationBell() {
  const { notifications, unread } = useNotifications()
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
          aria-label={bellLabel(unread)}
          className="relative grid size-10 shrink-0 place-items-center rounded-control hover:bg-sunken pointer-coarse:size-11"
        >
          <BellIcon className="size-5" />
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
            <Line key={notification.id} notification={notification} now={openedAt} />
          ))}
        </ul>
      )}
    </Popover>
  )
}

const looks: Record<Notification['tone'], { icon: Icon; color: string }> = {
  success: { icon: SuccessIcon, color: 'text-success' },
  info: { icon: InfoIcon, color: 'text-info' },
  warning: { icon: WarningIcon, color: 'text-warning' },
  error: { icon: ErrorIcon, color: 'text-danger' },
}

function Line({ notification: { tone, text, detail, timestamp }, now }: { notification: Notification; now: number }) {
  const { icon: Glyph, color } = looks[tone]
  return (
    <li className="flex gap-2.5">
      <Glyph className={cx('mt-0.5 size-4 shrink-0', color)} />
      <span className="grid min-w-0 flex-1 gap-0.5">
        <span className="wrap-anywhere">{text}</span>
        {detail && <span className="text-label wrap-anywhere text-muted">{detail}</span>}
        <span className="text-caption text-muted tabular-nums">{relativeTime(timestamp, now)}</span>
      </span>
    </li>
  )
}

function bellLabel(unread: number): string {
  if (unread === 0) return 'Notificações'
  return unread === 1 ? 'Notificações, 1 nova' : `Notificações, ${unread} novas`
}
