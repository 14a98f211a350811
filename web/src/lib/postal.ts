// Postal codes (CEP) and the states of an address.
import { unmasked } from './plain-text'

export const STATES = 'AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO'.split(' ')

/** The eight digits of a typed CEP, or null. */
export function parseCep(typed: string): string | null {
  const digits = unmasked(typed)
  return /^\d{8}$/.test(digits) && digits !== '00000000' ? digits : null
}

/** The mask, also while typing: what it does not fit stays as it was typed. */
export function formatCep(typed: string): string {
  const digits = unmasked(typed)
  if (!/^\d{0,8}$/.test(digits)) return typed
  return digits.length > 5 ? `${digits.slice(0, 5)}-${digits.slice(5)}` : digits
}
