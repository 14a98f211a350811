// Text controls. 16 px text, so that phones do not zoom on focus.
import type { ComponentProps } from 'react'
import { cx } from './cx'
import { useField } from './field'

export const controlClass = cx(
  'w-full rounded-control border border-control bg-surface text-reading text-text placeholder:text-muted',
  'disabled:bg-sunken disabled:text-muted read-only:bg-sunken',
  'aria-invalid:border-danger focus-visible:outline-offset-0',
  // The label stays in sight where the focus scrolls to a field.
  'scroll-mt-8',
)

/** What is not spelled is not corrected either: an iPhone would change a password that is shown. */
export function Input({ className, spellCheck, ...rest }: ComponentProps<'input'>) {
  return (
    <input
      {...useField()}
      className={cx(controlClass, 'h-control px-3 text-ellipsis', className)}
      spellCheck={spellCheck}
      autoCorrect={spellCheck === false ? 'off' : undefined}
      {...rest}
    />
  )
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      rows={4}
      {...useField()}
      className={cx(controlClass, 'min-h-24 resize-y px-3 py-2', className)}
      {...rest}
    />
  )
}

/** An e-mail address: phones neither capitalise nor correct it. */
export function EmailInput(props: Omit<ComponentProps<'input'>, 'type'>) {
  return <Input type="email" autoComplete="email" autoCapitalize="none" spellCheck={false} {...props} />
}
