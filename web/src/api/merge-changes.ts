// Saving a form whose call writes the whole record: what this form did not change stays as the server has it by now.
import { ApiError } from './errors'

/**
 * `now` with what differs between `opened` and `edited`. Refuses, as the server would, when somebody else has changed
 * one of the same fields since.
 */
export function mergeChanges<T extends object>(opened: T, edited: T, now: T): T {
  const merged = { ...now }
  for (const name of Object.keys(edited) as (keyof T)[]) {
    if (isSame(edited[name], opened[name])) continue
    if (!isSame(now[name], opened[name]) && !isSame(now[name], edited[name])) throw new ApiError('CONFLICT')
    merged[name] = edited[name]
  }
  return merged
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
