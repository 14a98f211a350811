// A choice of one as cards (payment methods).
import { cx } from './cx'
import { focusRing, useRadios, type RadioProps } from './radios'

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
              focusRing,
              option.value === value ? 'border-primary bg-soft' : 'border-control bg-surface',
              option.disabledReason
                ? 'cursor-not-allowed [&>:is(input,svg)]:opacity-60'
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
              {/* Paler where it cannot be chosen; why it cannot is still to be read. */}
              <span className={cx('font-medium', option.disabledReason && 'opacity-60')}>{option.label}</span>
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
