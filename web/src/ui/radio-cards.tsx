// A choice of one as cards (payment methods) or as one segmented row (billing cycle, period). Native radios:
// arrow keys, form semantics and names come with them.
import { useId, type ReactNode } from 'react'
import { cx } from './cx'

export interface RadioOption<T extends string> {
  value: T
  label: ReactNode
  note?: ReactNode
  icon?: ReactNode
  /** Why it cannot be chosen; disables the option and is shown instead of the note. */
  disabledReason?: string
}

interface RadioProps<T extends string> {
  legend: string
  options: readonly RadioOption<T>[]
  value: T
  onChange: (value: T) => void
}

const ring = 'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus'

/** Makes the attributes of each native radio of one group. */
function useRadios<T extends string>(chosen: T, onChange: (value: T) => void) {
  const name = useId()
  return (value: T) => ({ type: 'radio', name, value, checked: value === chosen, onChange: () => onChange(value) })
}

export function RadioCards<T extends string>({
  legend,
  options,
  value,
  onChange,
  disabled,
}: RadioProps<T> & { disabled?: boolean }) {
  const radio = useRadios(value, onChange)
  return (
    <fieldset disabled={disabled}>
      <legend className="mb-1.5 text-label font-medium">{legend}</legend>
      <div className="grid gap-2">
        {options.map((option) => (
          <label
            key={option.value}
            className={cx(
              'flex min-h-14 items-center gap-3 rounded-control border px-3 py-2',
              ring,
              option.value === value ? 'border-primary bg-soft' : 'border-control bg-surface',
              option.disabledReason
                ? 'cursor-not-allowed opacity-60'
                : 'cursor-pointer hover:bg-sunken has-checked:hover:bg-soft',
            )}
          >
            <input
              {...radio(option.value)}
              disabled={option.disabledReason !== undefined}
              className="tick size-[18px] shrink-0 outline-none"
            />
            {option.icon}
            <span className="grid">
              <span className="font-medium">{option.label}</span>
              {(option.disabledReason ?? option.note) && (
                <span className="text-label text-muted">{option.disabledReason ?? option.note}</span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** The legend is for assistive technology. */
export function Segmented<T extends string>({
  legend,
  options,
  value,
  onChange,
  className,
}: RadioProps<T> & { className?: string }) {
  const radio = useRadios(value, onChange)
  return (
    <fieldset className={className}>
      <legend className="sr-only">{legend}</legend>
      <div className="inline-flex max-w-full flex-wrap gap-1 max-sm:w-full rounded-control bg-sunken p-1">
        {options.map((option) => (
          <label
            key={option.value}
            className={cx(
              'inline-flex min-h-8 cursor-pointer items-center gap-1.5 rounded-badge px-2 py-1 font-medium max-sm:grow max-sm:justify-center sm:gap-2 sm:px-3 pointer-coarse:min-h-10',
              ring,
              option.value === value
                ? 'bg-surface text-text shadow-menu ring-1 ring-line'
                : 'text-muted hover:text-text',
            )}
          >
            <input {...radio(option.value)} className="sr-only" />
            {option.label}
            {option.note}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
