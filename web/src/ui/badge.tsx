// Badges. A status badge is always icon, text and colour together.
import type { ReactNode } from 'react'
import type { Tone } from '../lib/labels'
import { CancelledIcon, ErrorIcon, InfoIcon, PendingIcon, SuccessIcon, WarningIcon, type Icon } from './icons'
import { cx } from './cx'

const tones: Record<Tone | 'beam', string> = {
  success: 'bg-success-bg text-success',
  warning: 'bg-warning-bg text-warning',
  danger: 'bg-danger-bg text-danger',
  info: 'bg-info-bg text-info',
  neutral: 'bg-neutral-bg text-neutral',
  beam: 'border border-beam text-beam-text',
}

const icons: Record<Tone, Icon> = {
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
        tones[tone],
      )}
    >
      {children}
    </span>
  )
}

/** `pending` replaces the tone's own icon by the clock: waiting is neither good nor bad. */
export function StatusBadge({ tone, pending, children }: { tone: Tone; pending?: boolean; children: ReactNode }) {
  const Glyph = pending ? PendingIcon : icons[tone]
  return (
    <Badge tone={tone}>
      <Glyph className="size-3.5 shrink-0" />
      {children}
    </Badge>
  )
}

export function SoonBadge() {
  return <Badge tone="neutral">Em breve</Badge>
}
