// A styled native select: phones bring their own picker, and no library writes into the page.
import type { ComponentProps } from 'react'
import { cx } from './cx'
import { useField } from './field'
import { DownIcon } from './icons'
import { controlClass } from './input'

interface SelectProps extends ComponentProps<'select'> {
  small?: boolean
  /** After those among the children. */
  options?: readonly (readonly [value: string, label: string])[]
}

export function Select({ small, className, options, children, ...rest }: SelectProps) {
  return (
    <div className={cx('relative', className)}>
      <select
        {...useField()}
        className={cx(
          controlClass,
          'not-disabled:bg-surface! appearance-none pr-9 pl-3',
          small ? 'h-8 pointer-fine:text-body pointer-coarse:h-10 enlarged:h-auto' : 'h-control',
        )}
        {...rest}
      >
        {children}
        {options?.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <DownIcon className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-muted" />
    </div>
  )
}
