// The password rule (docs/security.md, "Passwords"), as single conditions for the live checklist.
import { countCharacters } from './characters'

interface PasswordRule {
  label: string
  holds: (password: string) => boolean
}

export const passwordRules: readonly PasswordRule[] = [
  { label: '8 caracteres', holds: (password) => countCharacters(password) >= 8 },
  { label: 'uma letra maiúscula', holds: (password) => /[A-Z]/.test(password) },
  { label: 'uma letra minúscula', holds: (password) => /[a-z]/.test(password) },
  { label: 'um número', holds: (password) => /[0-9]/.test(password) },
  { label: 'um símbolo: # @ $ ! % * ? &', holds: (password) => /[#@$!%*?&]/.test(password) },
]

/** The rule as Safari reads it: by itself it suggests passwords whose only symbol is a hyphen. */
export const ruleForSafari = {
  passwordrules: 'minlength: 8; required: upper; required: lower; required: digit; required: [#@$!%*?&];',
}

export function isStrongPassword(password: string): boolean {
  return passwordRules.every(({ holds }) => holds(password))
}
