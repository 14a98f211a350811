// Badges. A status badge is always icon, text and colour together.
import type { ReactNode } from 'react'
import { CancelledIcon, ErrorIcon, InfoIcon, PendingIcon, SuccessIcon, WarningIcon, type Icon } from './icons'
import { cx } from './cx'

export type BadgeTone = 'success' | 'warning' | 'danger' | 'info' | 'neutral' | 'beam'

const tones: Record<BadgeTone, string> = {
  success: 'bg-success-bg text-success',
  warning: 'bg-warning-bg text-warning',
  danger: 'bg-danger-bg text-danger',
  info: 'bg-info-bg text-info',
  neutral: 'bg-neutral-bg text-neutral',
  beam: 'border border-beam text-beam-text',
}

const icons: Record<Exclude<BadgeTone, 'beam'>, Icon> = {
  success: SuccessIcon,
  warning: WarningIcon,
  danger: ErrorIcon,
  info: InfoIcon,
  neutral: CancelledIcon,
}

export function Badge({
  tone = 'neutral',
  children,
  className,
}: {
  tone?: BadgeTone
  children: ReactNode
  className?: string
}) {
  return (
    <span
      className={cx(
        'inline-flex min-h-5 items-center align-middle gap-1 rounded-badge px-1.5 py-0.5 text-caption font-medium whitespace-nowrap',
        tones[tone],
        className,
      )}
    >
      {children}
    </span>
  )
}

/** `pending` replaces the tone's own icon by the clock: waiting is neither good nor bad. */
export function StatusBadge({
  tone,
  pending,
  children,
}: {
  tone: Exclude<BadgeTone, 'beam'>
  pending?: boolean
  children: ReactNode
}) {
  const Glyph = pending ? PendingIcon : icons[tone]
  return (
    <Badge tone={tone}>
      <Glyph className="size-3.5 shrink-0" strokeWidth={1.75} aria-hidden="true" />
      {children}
    </Badge>
  )
}

export function SoonBadge() {
  return <Badge tone="neutral">Em breve</Badge>
}
