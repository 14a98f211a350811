// A small panel at a button: connection details, the bell list.
import type { ReactElement, ReactNode } from 'react'
import { Popover as Radix } from 'radix-ui'

export interface PopoverProps {
  trigger: ReactElement
  label: string
  children: ReactNode
  onOpenChange?: (open: boolean) => void
}

export function Popover({ trigger, label, children, onOpenChange }: PopoverProps) {
  return (
    <Radix.Root onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align="end"
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-h-[min(70dvh,28rem)] w-[min(22rem,calc(100vw-1rem))] overflow-y-auto rounded-card border border-line bg-surface p-4 shadow-menu animate-enter outline-none dark:bg-sunken"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
