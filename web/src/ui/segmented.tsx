// A choice of one as one segmented row (billing cycle, period).
import { cx } from './cx'
import { focusRing, useRadios, type RadioProps } from './radios'

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
              'inline-flex min-h-8 cursor-pointer items-center gap-1.5 rounded-badge px-1.5 py-1 font-medium max-sm:grow max-sm:justify-center sm:gap-2 sm:px-3 pointer-coarse:min-h-10',
              focusRing,
              option.value === value
                ? 'bg-surface text-text shadow-menu ring-1 ring-control'
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
