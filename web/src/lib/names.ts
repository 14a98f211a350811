// How lists order names, and how searches find them.
import { madeOnce } from './made-once'

const collator = madeOnce(() => new Intl.Collator('pt-BR', { numeric: true, sensitivity: 'base' }))

/** Order of names in lists. */
export function byName(left: string, right: string): number {
  return collator().compare(left, right)
}

/** Text as search compares it: without case and accents. */
export function searchable(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
