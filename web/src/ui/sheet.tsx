// A panel from the side: navigation on phones (left), records beside their list (right, 480 px). While `busy`, Esc and
// the scrim close nothing.
import type { ReactNode } from 'react'
import { Dialog as Radix } from 'radix-ui'
import { cx } from './cx'
import { scrimClass } from './dialog'
import { CloseIcon } from './icons'
import { ignoreOutside } from './second-click'
import { focusTitleOf, useOpener } from './use-opener'

export interface SheetProps {
  onClose: () => void
  title: string
  /** The navigation: from the left, its title for assistive technology only. */
  isMenu?: boolean
  /** A record to read: its title takes the focus, not the first control. */
  focusTitle?: boolean
  busy?: boolean
  footer?: ReactNode
  children: ReactNode
}

export function Sheet({ onClose, title, isMenu, focusTitle, busy, footer, children }: SheetProps) {
  const focus = useOpener(focusTitle ? focusTitleOf : undefined)
  return (
    <Radix.Root open onOpenChange={(next) => !next && !busy && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={scrimClass} />
        <Radix.Content
          {...focus}
          onInteractOutside={ignoreOutside}
          aria-describedby={undefined}
          className={cx(
            'fixed inset-y-0 z-50 flex w-full flex-col bg-surface shadow-dialog animate-fade outline-none',
            !isMenu && 'low:block low:overflow-y-auto',
            isMenu
              ? 'left-0 max-w-[288px] border-r border-line'
              : 'right-0 max-w-[480px] border-line min-[480px]:border-l',
          )}
        >
          <div className={isMenu ? 'sr-only' : 'flex min-h-14 items-center border-b border-line py-3 pr-16 pl-5'}>
            <Radix.Title tabIndex={-1} className="text-h3 font-semibold wrap-anywhere outline-none">
              {title}
            </Radix.Title>
          </div>
          <div className={cx('min-h-0 flex-1 overflow-y-auto', !isMenu && 'px-5 py-4 low:overflow-visible')}>
            {children}
          </div>
          {footer && (
            <div className="flex flex-col-reverse gap-2 border-t border-line px-5 py-4 sm:flex-row sm:flex-wrap sm:justify-end">
              {footer}
            </div>
          )}
          {/* Last, so that the focus begins with what the panel is about. */}
          {!busy && (
            <Radix.Close
              aria-label="Fechar"
              className="absolute top-2 right-3 grid size-10 place-items-center rounded-control text-muted hover:bg-sunken hover:text-text"
            >
              <CloseIcon className="size-4.5" />
            </Radix.Close>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
