// A notification in the bell: its icon, what happened, and when.
import { cx } from '../../ui/cx'
import { ErrorIcon, InfoIcon, SuccessIcon, WarningIcon, type Icon } from '../../ui/icons'

const tones = {
  success: { icon: SuccessIcon, color: 'text-success' },
  info: { icon: InfoIcon, color: 'text-info' },
  warning: { icon: WarningIcon, color: 'text-warning' },
  error: { icon: ErrorIcon, color: 'text-danger' },
} satisfies Record<string, { icon: Icon; color: string }>

interface NotificationRowProps {
  tone: keyof typeof tones
  title: string
  detail: string | undefined
  when: string
  unread?: boolean
}

export function NotificationRow({ tone, title, detail, when, unread = false }: NotificationRowProps) {
  const { icon: Glyph, color } = tones[tone]
  return (
    <span className="flex gap-2.5 text-left">
      <Glyph className={cx('mt-0.5 size-4 shrink-0', color)} />
      <span className="grid min-w-0 flex-1 gap-0.5">
        <span className={cx('wrap-anywhere', unread && 'font-semibold')}>
          {unread && <span className="sr-only">Não lida: </span>}
          {title}
        </span>
        {detail && <span className="text-label wrap-anywhere text-muted">{detail}</span>}
        <span className="text-caption text-muted tabular-nums">{when}</span>
      </span>
      {unread && <span className="mt-1.5 size-2 shrink-0 rounded-full bg-beam" aria-hidden="true" />}
    </span>
  )
}
