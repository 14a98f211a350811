// Puts the server's field codes on the fields of a form. What does not belong to a field stays the form's.
import type { FieldPath, FieldValues, UseFormSetError } from 'react-hook-form'
import { fieldSentenceOf, type ApiError } from './errors'

export interface FieldPlaces<T extends FieldValues> {
  /** The names of the form's fields; other names in `fields` are left to the summary. */
  names: readonly FieldPath<T>[]
  /** The form's name of what the server names otherwise. */
  nameOf?: (serverName: string) => string
  /** Whole-call codes that belong on one field: EMAIL_EXISTS on the e-mail. */
  byCode?: Partial<Record<string, FieldPath<T>>>
  /** A form's own wording of a field code, by field code or by `field.CODE`. */
  wording?: Record<string, string>
}

/** True when every part of the error found its field; false: show it in the form's summary too. */
export function placeErrors<T extends FieldValues>(
  error: ApiError,
  setError: UseFormSetError<T>,
  places: FieldPlaces<T>,
): boolean {
  const target = places.byCode?.[error.code]
  if (target) {
    setError(target, { type: error.code, message: error.sentence })
    return true
  }
  const entries = Object.entries(error.fields)
  let placed = 0
  for (const [name, code] of entries) {
    const wanted = places.nameOf?.(name) ?? name
    const field = places.names.find((known) => known === wanted)
    if (!field || typeof code !== 'string') continue
    const own = places.wording?.[`${name}.${code}`]
    const message = own ?? fieldSentenceOf(code, places.wording)
    setError(field, { type: code, message })
    placed += 1
  }
  return placed > 0 && placed === entries.length
}
