// A message in the page: a form's summary, a banner, the alert bar of the plans page.
import type { ReactNode } from 'react'
import { cx } from './cx'
import { CloseIcon, ErrorIcon, InfoIcon, SuccessIcon, WarningIcon, type Icon } from './icons'

export type AlertTone = 'success' | 'warning' | 'danger' | 'info'

const looks: Record<AlertTone, { icon: Icon; className: string }> = {
  success: { icon: SuccessIcon, className: 'bg-success-bg text-success' },
  warning: { icon: WarningIcon, className: 'bg-warning-bg text-warning' },
  danger: { icon: ErrorIcon, className: 'bg-danger-bg text-danger' },
  info: { icon: InfoIcon, className: 'bg-info-bg text-info' },
}

export interface AlertProps {
  tone: AlertTone
  title?: ReactNode
  children?: ReactNode
  actions?: ReactNode
  onClose?: () => void
  /** `alert` only for payment failure and session expiry; the rest is polite. */
  role?: 'alert' | 'status'
  className?: string
}

export function Alert({ tone, title, children, actions, onClose, role = 'status', className }: AlertProps) {
  const { icon: Glyph, className: look } = looks[tone]
  return (
    <div role={role} className={cx('flex items-start gap-3 rounded-control px-4 py-3', look, className)}>
      <Glyph className="mt-0.5 size-4 shrink-0" />
      <div className={cx('min-w-0 flex-1 gap-1', title ? 'grid' : 'flex flex-wrap gap-x-4')}>
        {title && <p className="font-semibold">{title}</p>}
        {children && <div className="text-body text-pretty">{children}</div>}
        {actions && (
          <div className="flex flex-wrap gap-x-4 gap-y-1 font-medium [&_a]:underline [&_button]:underline">
            {actions}
          </div>
        )}
      </div>
      {onClose && (
        <button
          type="button"
          aria-label="Fechar aviso"
          onClick={onClose}
          className="-m-1.5 grid size-8 shrink-0 place-items-center rounded-control hover:bg-surface"
        >
          <CloseIcon className="size-4" />
        </button>
      )}
    </div>
  )
}
