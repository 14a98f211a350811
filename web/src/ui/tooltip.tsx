// A tooltip repeats or explains what is already named; nothing is to be found in it alone.
import type { ReactElement, ReactNode } from 'react'
import { Tooltip as Radix } from 'radix-ui'

export function TooltipProvider({ children }: { children: ReactNode }) {
  return <Radix.Provider delayDuration={300}>{children}</Radix.Provider>
}

export function Tooltip({ text, children }: { text: string; children: ReactElement }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side="bottom"
          sideOffset={6}
          collisionPadding={8}
          className="z-60 max-w-72 rounded-control bg-text px-2 py-1 text-caption text-bg animate-fade"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
