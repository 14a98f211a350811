// What radio cards and the segmented row share: native radios, so that arrow keys, form semantics and names come with
// them.
import { useId, type ReactNode } from 'react'

export interface RadioOption<T extends string> {
  value: T
  label: ReactNode
  note?: ReactNode
  icon?: ReactNode
  /** Why it cannot be chosen; disables the option and is shown instead of the note. */
  disabledReason?: string
}

export interface RadioProps<T extends string> {
  legend: string
  options: readonly RadioOption<T>[]
  value: T
  onChange: (value: T) => void
}

/** Of the label of a radio that has the keyboard's focus. */
export const focusRing =
  'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus'

/**
 * Makes the attributes of each native radio of one group. What somebody chose in ready made markup before its code came
 * is told when the radio wakes up.
 */
export function useRadios<T extends string>(chosen: T, onChange: (value: T) => void) {
  const name = useId()
  return (value: T) => ({
    type: 'radio',
    name,
    value,
    checked: value === chosen,
    onChange: () => onChange(value),
    ref: (radio: HTMLInputElement | null) => {
      if (radio?.checked && value !== chosen) onChange(value)
    },
  })
}
