// A filter of a list: one of a closed set, or all.
import { Field } from './field'
import { Select } from './select'

export interface FilterSelectProps {
  label: string
  /** The option that filters nothing. */
  all: string
  options: readonly (readonly [value: string, label: string])[]
  value: string | undefined
  onChange: (value: string) => void
}

/** A value that no option has is one of its own: it filters all the same, so it has to be seen and taken back. */
export function FilterSelect({ label, all, options, value, onChange }: FilterSelectProps) {
  const isUnknown = value && options.every(([known]) => known !== value)
  return (
    <Field label={label} className="min-w-0 flex-1 basis-36 sm:max-w-48">
      <Select value={value ?? ''} onChange={(event) => onChange(event.target.value)} options={options}>
        <option value="">{all}</option>
        {isUnknown && <option value={value}>{value}</option>}
      </Select>
    </Field>
  )
}
