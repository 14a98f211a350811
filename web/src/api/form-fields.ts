// The rules of fields that several forms have, each with its sentence.
import { countCharacters } from '../lib/characters'
import { formatReais } from '../lib/money'
import { isStrongPassword } from '../lib/password'
import { groupPhone, PHONE } from '../lib/phone'
import { plainText } from '../lib/plain-text'
import { z } from '../lib/zod'
import { fieldSentenceOf } from './errors'

/** Text that may be empty. */
export const optional = z.string().check(z.overwrite(plainText))

/** Text that is there. */
export function present(missing = fieldSentenceOf('REQUIRED')) {
  return optional.check(z.minLength(1, missing))
}

/** In characters, as the server counts them. */
export function atLeast(least: number, problem: string) {
  return z.refine<string>((text) => countCharacters(text) >= least, problem)
}

/** As `atLeast` counts. */
export function atMost(most: number) {
  return z.refine<string>((text) => countCharacters(text) <= most, fieldSentenceOf('TOO_LONG'))
}

/** Judges only what `before` let through: one sentence is told at a time. */
export function refined(before: z.ZodMiniType<string, string>, ...checks: z.core.$ZodCheck<string>[]) {
  return z.pipe(before, z.string().check(...checks))
}

export const required = present()

export const personName = refined(required, atLeast(2, fieldSentenceOf('NAME_TOO_SHORT')))

export const phone = refined(required, z.overwrite(groupPhone), z.regex(PHONE, fieldSentenceOf('PHONE_INVALID')))

/**
 * As the server takes it. ASCII alone: letters that only look like others would be other addresses. Behind the @ at
 * least two labels of letters, digits and inner hyphens; the last one is no number.
 */
const EMAIL =
  /^(?=.{1,254}$)[!#-'*+\-./\d=?A-Z^-~]{1,64}@(?:(?!-)[a-z\d-]{0,62}[a-z\d]\.)+(?!-|\d+$)[a-z\d-]{0,62}[a-z\d]$/i

export function emailAddress(missing = fieldSentenceOf('REQUIRED'), invalid = fieldSentenceOf('EMAIL_INVALID')) {
  return refined(present(missing), z.regex(EMAIL, invalid))
}

export const email = emailAddress()

export const code = z.string().check(z.regex(/^\d{6}$/, fieldSentenceOf('CODE_INVALID')))

/** A password that proves who asks: any that is there. */
export const presentPassword = z.string().check(z.minLength(1, fieldSentenceOf('REQUIRED')))

/** Passwords are never trimmed: a space is a character like any other. */
export const newPassword = refined(
  refined(presentPassword, atLeast(8, 'Senha deve ter pelo menos 8 caracteres')),
  z.refine(isStrongPassword, fieldSentenceOf('PASSWORD_WEAK')),
)

export const newPasswordPair = { newPassword, confirmPassword: presentPassword }

/** For `refine` of a form with this pair: an empty confirmation is said to be missing, not to differ. */
export function passwordsAgree(form: { newPassword: string; confirmPassword: string }): boolean {
  return form.confirmPassword === '' || form.newPassword === form.confirmPassword
}

/** Where and when `passwordsAgree` is told, beside what else is wrong. */
export const passwordsDiffer = { path: ['confirmPassword'], error: 'As senhas não coincidem', when: () => true }

const PRICE_MAX = 999_999.99

/** What the server says of an amount in reais, wherever it takes one. */
export function priceProblemOf(value: number): string | undefined {
  if (value > PRICE_MAX) return `O máximo é ${formatReais(PRICE_MAX)}`
  return value < 0 ? fieldSentenceOf('INVALID') : undefined
}
