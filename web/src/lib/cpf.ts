// CPF: parsing, the mask while typing, and the two check digits. A form refuses a number whose check digits are wrong;
// the server takes it at sign-up, as its contract says.
import { unmasked } from './plain-text'

export const WRONG_CPF = 'CPF inválido. Confira os números.'

/** The 11 digits of a typed CPF, or null when it does not hold exactly 11 without its mask. */
export function parseCpf(text: string): string | null {
  const digits = unmasked(text)
  return /^[0-9]{11}$/.test(digits) ? digits : null
}

/** `11144477735` to `111.444.777-35`; also the mask while typing, where digits beyond the eleventh are dropped. */
export function formatCpf(text: string): string {
  const digits = text.replace(/[^0-9]/g, '').slice(0, 11)
  const parts = [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6, 9)].filter(Boolean)
  const check = digits.slice(9)
  return check ? `${parts.join('.')}-${check}` : parts.join('.')
}

/** Modulo 11 with weights 10..2 and 11..2; a remainder under 2 gives 0; eleven equal digits fail. */
export function hasValidCheckDigits(digits: string): boolean {
  if (!/^[0-9]{11}$/.test(digits) || /^(\d)\1{10}$/.test(digits)) return false
  const values = Array.from(digits, Number)
  return checkDigit(values, 9) === values[9] && checkDigit(values, 10) === values[10]
}

function checkDigit(values: number[], length: number): number {
  const sum = values.slice(0, length).reduce((total, value, index) => total + value * (length + 1 - index), 0)
  const remainder = sum % 11
  return remainder < 2 ? 0 : 11 - remainder
}
