// Saving a form that others may edit too: what this form did not change stays as the server has it by now, and what both
// changed is refused, as the server would.
import { ApiError } from './errors'

/** For a call that writes the whole record: `now` with what differs between `opened` and `edited`. */
export function mergeChanges<T extends object>(opened: T, edited: T, now: T): T {
  const changed = Object.entries(edited).filter(([name, value]) => !isSame(value, opened[name as keyof T]))
  return { ...now, ...unlessChanged(opened, Object.fromEntries(changed) as Partial<T>, now) }
}

/** `edited`. Refuses when somebody else has since changed one of its fields in another way. */
export function unlessChanged<T extends object>(opened: T, edited: Partial<T>, now: T): Partial<T> {
  for (const name of Object.keys(edited) as (keyof T)[]) {
    if (!isSame(now[name], opened[name]) && !isSame(now[name], edited[name])) throw new ApiError('CONFLICT')
  }
  return edited
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
