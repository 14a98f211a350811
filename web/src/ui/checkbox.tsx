// A native checkbox with its label beside it; an error stands under both.
import { useId, type ComponentProps, type ReactNode } from 'react'
import { cx } from './cx'
import { FieldError } from './field'
import { useStableWhilePressed } from './use-stable-while-pressed'

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type'> {
  label: ReactNode
  /** Below the label. */
  hint?: ReactNode
  error?: ReactNode
}

export function Checkbox({ label, hint, error: newest, className, ...rest }: CheckboxProps) {
  const id = useId()
  const error = useStableWhilePressed(newest)
  return (
    <div className={cx('grid gap-1', className)}>
      <div className="flex items-start gap-2.5">
        <input
          id={id}
          type="checkbox"
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : hint ? `${id}-hint` : undefined}
          className="tick mt-px size-[18px] shrink-0"
          {...rest}
        />
        <label htmlFor={id} className="text-body">
          {label}
        </label>
      </div>
      {hint && (
        <p id={`${id}-hint`} className="pl-7 text-label text-pretty text-muted">
          {hint}
        </p>
      )}
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </div>
  )
}
