// A message in the page: a form's summary, a banner, the alert bar of the plans page.
import type { ReactNode } from 'react'
import type { Tone } from '../lib/labels'
import { toneClasses, toneIcons } from './badge'
import { cx } from './cx'
import { leaveToHeading } from './focus-heading'
import { CloseIcon } from './icons'

interface AlertProps {
  tone: Tone
  title?: ReactNode
  children?: ReactNode
  actions?: ReactNode
  onClose?: () => void
  /** `alert` only for payment failure and session expiry; the rest is polite. `none`: it is announced otherwise. */
  role?: 'alert' | 'status' | 'none'
  className?: string
}

export function Alert({ tone, title, children, actions, onClose, role = 'status', className }: AlertProps) {
  const Glyph = toneIcons[tone]
  const close = (button: Element) => {
    leaveToHeading(button)
    onClose?.()
  }
  return (
    <div role={role} className={cx('flex items-start gap-3 rounded-control px-4 py-3', toneClasses[tone], className)}>
      <Glyph className="mt-0.5 size-4 shrink-0" />
      <div className={cx('min-w-0 flex-1 gap-1 wrap-anywhere', title ? 'grid' : 'flex flex-wrap gap-x-4')}>
        {title && <p className="font-semibold">{title}</p>}
        {children && <div className="text-body text-pretty">{children}</div>}
        {actions && (
          // 24 px high to the pointer, and a line of text to the page.
          <div className="flex flex-wrap gap-x-4 gap-y-1 font-medium *:-my-0.5 *:py-0.5 [&_a]:underline [&_button]:underline">
            {actions}
          </div>
        )}
      </div>
      {onClose && (
        <button
          type="button"
          aria-label="Fechar aviso"
          onClick={({ currentTarget }) => close(currentTarget)}
          className="-m-1.5 grid size-8 shrink-0 place-items-center rounded-control hover:bg-surface"
        >
          <CloseIcon className="size-4" />
        </button>
      )}
    </div>
  )
}
