// Phones are free text; a Brazilian number is grouped when the field is left.
import { plainText } from './plain-text'

/** An optional plus, digits, spaces, hyphens and parentheses; at least 10 of them. */
export const PHONE = /^\+?[\d\s()-]{10,}$/

/**
 * `11987654321` and `11.98765.4321` to `(11) 98765-4321`; anything that is not a Brazilian number stays as typed, but
 * for dots between digits and for the spaces, hyphens and invisible marks of a pasted one: the server takes plain ones
 * alone.
 */
export function groupPhone(text: string): string {
  const trimmed = plainText(text)
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/([\d)])[./](?=\d)/g, '$1 ')
    .replace(/\s+/g, ' ')
  if (!/^[\d\s()-]+$/.test(trimmed)) return trimmed
  const digits = trimmed.replace(/\D/g, '')
  if (digits.length !== 10 && digits.length !== 11) return trimmed
  const split = digits.length - 4
  return `(${digits.slice(0, 2)}) ${digits.slice(2, split)}-${digits.slice(split)}`
}
