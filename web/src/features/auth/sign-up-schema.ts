// The rules of the sign-up form, each with its sentence.
import { z } from '../../lib/zod'
import { fieldSentenceOf } from '../../api/errors'
import { email, newPassword, personName, phone, presentPassword, refined, required } from '../../api/form-fields'
import { hasValidCheckDigits, parseCpf, WRONG_CPF } from '../../lib/cpf'
import { ageOn, dayOf, isCalendarDay } from '../../lib/dates'

/** The server's. A year of two digits becomes one of the first century in a date field. */
export const EARLIEST_BIRTH_DATE = '1900-01-01'

function isBirthDate(day: string): boolean {
  return isCalendarDay(day) && day >= EARLIEST_BIRTH_DATE
}

function birthDate(minAge: number) {
  return refined(
    refined(required, z.refine(isBirthDate, fieldSentenceOf('INVALID'))),
    z.refine((day) => ageOn(day, dayOf(Date.now())) >= minAge, tooYoung(minAge)),
  )
}

export function tooYoung(minAge: number): string {
  return `Você deve ter pelo menos ${minAge} anos`
}

export const consentSentences = {
  consent_legal_terms: 'É necessário aceitar os termos de uso',
  consent_privacy_terms: 'É necessário aceitar os termos',
  consent_lgpd_terms: 'É necessário aceitar os termos',
} as const

function consent(sentence: string) {
  return z.boolean().check(z.refine(Boolean, sentence))
}

/** The least age is the server's setting. */
export function signUpSchema(minAge: number) {
  return z
    .object({
      userName: personName,
      userEmail: email,
      userDocument: refined(
        refined(
          required,
          z.refine((text) => parseCpf(text) !== null, fieldSentenceOf('DOCUMENT_INVALID')),
        ),
        z.refine((text) => hasValidCheckDigits(parseCpf(text) ?? ''), WRONG_CPF),
      ),
      userPhone: phone,
      userBirthDate: birthDate(minAge),
      password: newPassword,
      password_confirmation: presentPassword,
      consent_legal_terms: consent(consentSentences.consent_legal_terms),
      consent_privacy_terms: consent(consentSentences.consent_privacy_terms),
      consent_lgpd_terms: consent(consentSentences.consent_lgpd_terms),
    })
    .check(
      z.refine((form) => form.password_confirmation === '' || form.password === form.password_confirmation, {
        path: ['password_confirmation'],
        error: fieldSentenceOf('PASSWORD_MISMATCH'),
        when: () => true,
      }),
    )
}

export type SignUpSchema = ReturnType<typeof signUpSchema>
export type SignUpForm = z.infer<SignUpSchema>

/** In the order of the form. */
export const signUpLabels: Record<keyof SignUpForm, string> = {
  userName: 'Nome Completo',
  userEmail: 'Email',
  userDocument: 'CPF',
  userPhone: 'Telefone',
  userBirthDate: 'Data de Nascimento',
  password: 'Senha',
  password_confirmation: 'Confirmar Senha',
  consent_legal_terms: 'consentimentos',
  consent_privacy_terms: 'consentimentos',
  consent_lgpd_terms: 'consentimentos',
}
