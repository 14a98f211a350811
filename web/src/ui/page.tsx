// The frame of a page's content. A page sets the document title "{Página} · Bipe" and holds the one h1, which
// takes the focus after a route change. Inside the shell the h1 stands in the sticky header.
import { createContext, use, useEffect, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { cx } from './cx'

/** The place for the h1 in the shell's header; null outside the shell. */
export const HeaderSlotContext = createContext<HTMLElement | null>(null)

interface PageProps {
  title: string
  subtitle?: ReactNode
  actions?: ReactNode
  /** Forms are 640 px wide, lists use the whole 1200. */
  narrow?: boolean
  children: ReactNode
}

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Bipe`
  }, [title])
}

export function Page({ title, subtitle, actions, narrow, children }: PageProps) {
  usePageTitle(title)
  const slot = use(HeaderSlotContext)
  const heading = (
    <h1
      tabIndex={-1}
      className={
        slot ? 'line-clamp-2 text-reading leading-[1.25rem] wrap-anywhere sm:line-clamp-1 sm:text-h3' : undefined
      }
    >
      {title}
    </h1>
  )
  return (
    <div className={cx('grid grid-cols-[minmax(0,1fr)] gap-6', narrow && 'mx-auto w-full max-w-[640px]')}>
      {slot ? createPortal(heading, slot) : heading}
      {(subtitle || actions) && (
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
          {subtitle && <p className="min-w-0 wrap-anywhere text-muted max-sm:w-full">{subtitle}</p>}
          {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
        </div>
      )}
      {children}
    </div>
  )
}
