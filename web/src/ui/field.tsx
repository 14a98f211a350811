// A form field: label always visible, hint and error under the control and tied to it. The control takes its
// id and aria attributes from the context, so that no form wires them by hand.
import { createContext, use, useId, type ReactNode } from 'react'
import { ErrorIcon } from './icons'
import { cx } from './cx'
import { useStableWhilePressed } from './use-stable-while-pressed'

interface FieldWiring {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
  'aria-required': true | undefined
}

const FieldContext = createContext<FieldWiring | null>(null)

/** The attributes of the control inside a Field; empty outside one. */
export function useField(): Partial<FieldWiring> {
  return use(FieldContext) ?? {}
}

interface FieldProps {
  label: ReactNode
  /** The label is for assistive technology only: one of a list under a common title. */
  labelHidden?: boolean
  error?: ReactNode
  hint?: ReactNode
  /** Shown at the right of the label: a counter, a link. */
  aside?: ReactNode
  required?: boolean
  optional?: boolean
  className?: string
  children: ReactNode
}

export function Field({
  label,
  labelHidden,
  error: newest,
  hint,
  aside,
  required,
  optional,
  className,
  children,
}: FieldProps) {
  const id = useId()
  const error = useStableWhilePressed(newest)
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ')
  const wiring: FieldWiring = {
    id,
    'aria-describedby': described || undefined,
    'aria-invalid': error ? true : undefined,
    'aria-required': required ? true : undefined,
  }
  return (
    <div className={cx('grid content-start gap-1.5', className)}>
      <div className={labelHidden ? 'sr-only' : 'flex items-baseline justify-between gap-3'}>
        <label htmlFor={id} className="text-label font-medium">
          {label}
          {optional && <span className="font-normal text-muted"> (opcional)</span>}
        </label>
        {aside && <span className="text-caption text-muted tabular-nums">{aside}</span>}
      </div>
      <FieldContext value={wiring}>{children}</FieldContext>
      {hint && (
        <div id={`${id}-hint`} className="text-label text-muted">
          {hint}
        </div>
      )}
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </div>
  )
}

export function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} className="flex items-start gap-1.5 text-label text-danger">
      <ErrorIcon className="mt-px size-4 shrink-0" />
      <span>{children}</span>
    </p>
  )
}
