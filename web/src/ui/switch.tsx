// An on/off switch over a native checkbox, with its label beside it.
import { useId, type ComponentProps, type ReactNode } from 'react'
import { cx } from './cx'

interface SwitchProps extends Omit<ComponentProps<'input'>, 'type' | 'role'> {
  label: ReactNode
  hint?: ReactNode
}

const track = cx(
  'relative mt-px h-5 w-9 shrink-0 cursor-pointer appearance-none rounded-full border border-control bg-sunken',
  'transition-colors duration-120 checked:border-primary checked:bg-primary',
  'disabled:cursor-not-allowed disabled:opacity-55',
)
const knob = cx(
  'before:absolute before:top-0.5 before:left-0.5 before:size-3.5 before:rounded-full before:bg-control',
  'before:transition-transform before:duration-120 checked:before:translate-x-4 checked:before:bg-on-primary',
)

/** The native checkbox says whether it is on. */
const asSwitch = { role: 'switch' }

export function Switch({ label, hint, className, ...rest }: SwitchProps) {
  const id = useId()
  return (
    <div className={cx('flex items-start gap-2.5', className)}>
      <input
        id={id}
        type="checkbox"
        {...asSwitch}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className={cx(track, knob)}
        {...rest}
      />
      <div className="grid gap-0.5">
        <label htmlFor={id}>{label}</label>
        {hint && (
          <span id={`${id}-hint`} className="text-label text-muted">
            {hint}
          </span>
        )}
      </div>
    </div>
  )
}
