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

/** An action that comes with the data moves neither the title nor the text: it stands beside the title alone. */
export function CardHeader({ title, actions, children }: CardHeaderProps) {
  return (
    <header className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-3 sm:grid sm:grid-cols-[minmax(min(14rem,40%),1fr)_auto] sm:gap-y-1.5">
      <h2 tabIndex={-1} className={cx('text-h3', Boolean(children) && 'max-sm:w-full')}>
        {title}
      </h2>
      {children && <div className="text-pretty text-muted max-sm:-mt-2 max-sm:w-full sm:col-span-full">{children}</div>}
      {/* A small button is 6 px higher than the title's line. */}
      {actions && <div className="flex flex-wrap gap-2 sm:col-start-2 sm:row-start-1 sm:-my-0.75">{actions}</div>}
    </header>
  )
}
