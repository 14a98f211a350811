// Drop-down menus over Radix: keyboard, typeahead and focus return come with it.
import type { ComponentProps, ReactElement, ReactNode } from 'react'
import { DropdownMenu as Radix } from 'radix-ui'
import { CheckIcon } from './icons'
import { cx } from './cx'

const item = cx(
  'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-badge px-2.5 py-1.5 text-body -outline-offset-2',
  'pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 data-disabled:cursor-not-allowed data-disabled:opacity-55',
  'data-highlighted:bg-sunken dark:data-highlighted:bg-surface',
)

interface MenuProps {
  trigger: ReactElement
  children: ReactNode
  align?: 'start' | 'end'
  /** Pixels between the trigger and the menu. */
  offset?: number
  onOpenChange?: (open: boolean) => void
  className?: string
}

export function Menu({ trigger, children, align = 'end', offset = 6, onOpenChange, className }: MenuProps) {
  return (
    // Not modal: the page behind a menu stays readable for everybody, and a click beside the menu does what it says.
    <Radix.Root modal={false} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={offset}
          collisionPadding={8}
          className={cx(
            'z-50 max-h-[min(70dvh,28rem,var(--radix-dropdown-menu-content-available-height))] min-w-56 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-card border border-line bg-surface p-1.5 shadow-menu animate-enter dark:bg-sunken',
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

export function MenuItem(props: ComponentProps<typeof Radix.Item>) {
  return <Radix.Item className={item} {...props} />
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2.5 pt-1.5 pb-1 text-caption font-medium text-muted">{children}</Radix.Label>
}

export function MenuSeparator() {
  return <Radix.Separator className="-mx-1.5 my-1.5 h-px bg-line" />
}

interface MenuRadioProps<T extends string> {
  value: T
  onChange: (value: T) => void
  options: readonly { value: T; label: ReactNode }[]
}

export function MenuRadio<T extends string>({ value, onChange, options }: MenuRadioProps<T>) {
  return (
    <Radix.RadioGroup value={value} onValueChange={(next) => onChange(next as T)}>
      {options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} className={item}>
          <span className="grid size-4 place-items-center">
            <Radix.ItemIndicator>
              <CheckIcon />
            </Radix.ItemIndicator>
          </span>
          {option.label}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}
