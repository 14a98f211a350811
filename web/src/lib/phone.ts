// Phones are free text; a Brazilian number is grouped when the field is left.

/** An optional plus, digits, spaces, hyphens and parentheses; at least 10 of them. */
export const PHONE = /^\+?[\d\s()-]{10,}$/

/**
 * `11987654321` to `(11) 98765-4321`; anything that is not a Brazilian number stays as typed, but for the spaces of a
 * pasted one: the server takes plain ones alone.
 */
export function groupPhone(text: string): string {
  const trimmed = text.trim().replace(/\s+/g, ' ')
  if (!/^[\d\s()-]+$/.test(trimmed)) return trimmed
  const digits = trimmed.replace(/\D/g, '')
  if (digits.length !== 10 && digits.length !== 11) return trimmed
  const split = digits.length - 4
  return `(${digits.slice(0, 2)}) ${digits.slice(2, split)}-${digits.slice(split)}`
}
