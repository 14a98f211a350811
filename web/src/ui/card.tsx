// Cards: a 1 px line, no shadow.
import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx'

export function Card({ className, ...rest }: ComponentProps<'section'>) {
  return <section className={cx('rounded-card border border-line bg-surface p-4 sm:p-6', className)} {...rest} />
}

interface CardHeaderProps {
  title: ReactNode
  actions?: ReactNode
  children?: ReactNode
}

export function CardHeader({ title, actions, children }: CardHeaderProps) {
  return (
    <header
      className={cx('mb-4 flex flex-wrap justify-between gap-x-4 gap-y-3', children ? 'items-start' : 'items-center')}
    >
      <div className="grid min-w-0 gap-1 sm:flex-1 sm:basis-56">
        {/* In the middle of a small button beside it. */}
        <h2 tabIndex={-1} className={cx('text-h3', Boolean(actions && children) && 'pt-0.75')}>
          {title}
        </h2>
        {children && <div className="text-pretty text-muted">{children}</div>}
      </div>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </header>
  )
}
