// Badges. A status badge is always icon, text and colour together.
import type { ReactNode } from 'react'
import type { Status, Tone } from '../lib/labels'
import { CancelledIcon, ErrorIcon, InfoIcon, PendingIcon, SuccessIcon, WarningIcon, type Icon } from './icons'
import { cx } from './cx'

export const toneClasses: Record<Tone | 'beam', string> = {
  success: 'bg-success-bg text-success',
  warning: 'bg-warning-bg text-warning',
  danger: 'bg-danger-bg text-danger',
  info: 'bg-info-bg text-info',
  neutral: 'bg-neutral-bg text-neutral',
  beam: 'border border-beam text-beam-text',
}

export const toneIcons: Record<Tone, Icon> = {
  success: SuccessIcon,
  warning: WarningIcon,
  danger: ErrorIcon,
  info: InfoIcon,
  neutral: CancelledIcon,
}

export function Badge({ tone = 'neutral', children }: { tone?: Tone | 'beam'; children: ReactNode }) {
  return (
    <span
      className={cx(
        'inline-flex min-h-5 items-center align-middle gap-1 rounded-badge px-1.5 py-0.5 text-caption font-medium whitespace-nowrap',
        toneClasses[tone],
      )}
    >
      {children}
    </span>
  )
}

/** `pending` replaces the tone's own icon by the clock: waiting is neither good nor bad. */
export function StatusBadge({ label, tone, pending }: Status) {
  const Glyph = pending ? PendingIcon : toneIcons[tone]
  return (
    <Badge tone={tone}>
      <Glyph className="size-3.5 shrink-0" />
      {label}
    </Badge>
  )
}

export function SoonBadge() {
  return <Badge tone="neutral">Em breve</Badge>
}
