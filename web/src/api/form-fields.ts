// The rules of fields that several forms have, each with its sentence.
import { isStrongPassword } from '../lib/password'
import { PHONE } from '../lib/phone'
import { z } from '../lib/zod'
import { fieldSentenceOf } from './errors'

export const required = z.string().trim().min(1, fieldSentenceOf('REQUIRED'))

export const personName = required.pipe(z.string().min(2, fieldSentenceOf('NAME_TOO_SHORT')))

export const phone = required.pipe(z.string().regex(PHONE, fieldSentenceOf('PHONE_INVALID')))

/** ASCII alone, as the server takes it: letters that only look like others would be other addresses. */
export const email = required.pipe(
  z.string().regex(/^(?=[!-~]+$)[^\s@]+@[^\s@]+\.[^\s@]+$/, fieldSentenceOf('EMAIL_INVALID')),
)

export const code = z.string().regex(/^\d{6}$/, fieldSentenceOf('CODE_INVALID'))

/** A password that proves who asks: any that is there. */
export const presentPassword = z.string().min(1, fieldSentenceOf('REQUIRED'))

/** Passwords are never trimmed: a space is a character like any other. */
export const newPassword = z
  .string()
  .min(1, fieldSentenceOf('REQUIRED'))
  .pipe(z.string().min(8, 'Senha deve ter pelo menos 8 caracteres'))
  .pipe(z.string().refine(isStrongPassword, fieldSentenceOf('PASSWORD_WEAK')))

export const newPasswordPair = { newPassword, confirmPassword: presentPassword }

/** For `refine` of a form with this pair: an empty confirmation is said to be missing, not to differ. */
export function passwordsAgree(form: { newPassword: string; confirmPassword: string }): boolean {
  return form.confirmPassword === '' || form.newPassword === form.confirmPassword
}

/** Where and when `passwordsAgree` is told, beside what else is wrong. */
export const passwordsDiffer = { path: ['confirmPassword'], message: 'As senhas não coincidem', when: () => true }
