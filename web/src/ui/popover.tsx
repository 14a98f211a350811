// A small panel at a button: connection details, the bell list, a definition.
import type { ReactElement, ReactNode } from 'react'
import { Popover as Radix } from 'radix-ui'
import { cx } from './cx'

interface PopoverProps {
  trigger: ReactElement
  label: string
  /** A sentence or two, not a list. */
  narrow?: boolean
  children: ReactNode
  onOpenChange?: (open: boolean) => void
}

/** Around what leads away: the panel closes behind it. */
export const PopoverClose = Radix.Close

export function Popover({ trigger, label, narrow, children, onOpenChange }: PopoverProps) {
  return (
    <Radix.Root onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align="end"
          sideOffset={12}
          collisionPadding={8}
          // A link of the panel has moved the focus to its page.
          onCloseAutoFocus={(event) => {
            if (document.activeElement !== document.body) event.preventDefault()
          }}
          className={cx(
            'z-50 max-h-[min(70dvh,28rem)] overflow-y-auto rounded-card border border-line bg-surface p-4 shadow-menu animate-enter outline-none dark:bg-sunken',
            narrow ? 'w-[min(18rem,calc(100vw-1rem))]' : 'w-[min(22rem,calc(100vw-1rem))]',
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
