import { describe, expect, it } from 'vitest'
import { faultSentence } from '../../lib/faults'
import { faultsOf as faultsIn } from './sign-up-faults'
import { signUpSchema, type SignUpForm } from './sign-up-schema'

const right: SignUpForm = {
  userName: 'Maria Silva',
  userEmail: 'maria@exemplo.com.br',
  userDocument: '111.444.777-35',
  userPhone: '11987654321',
  userBirthDate: '1990-05-17',
  password: 'Bipe#2026',
  password_confirmation: 'Bipe#2026',
  consent_legal_terms: true,
  consent_privacy_terms: true,
  consent_lgpd_terms: true,
}

const faultsOf = (values: SignUpForm) => faultsIn(signUpSchema(18), values)

describe('what keeps the sign-up from being sent', () => {
  it('is nothing when every field is right', () => {
    expect(faultsOf(right)).toEqual([])
    expect(faultSentence([])).toBe('')
  })

  it('names a CPF of eleven digits whose check digits are wrong', () => {
    const faults = faultsOf({ ...right, userDocument: '111.444.777-36' })
    expect(faultSentence(faults)).toBe('Confira: CPF')
  })

  it('names a year of birth of two digits', () => {
    const faults = faultsOf({ ...right, userBirthDate: '0085-03-12' })
    expect(faultSentence(faults)).toBe('Confira: Data de Nascimento')
    expect(faultsOf({ ...right, userBirthDate: '1900-01-01' })).toEqual([])
  })

  it('names filled fields that are wrong beside those that are missing, in the order of the form', () => {
    const faults = faultsOf({
      ...right,
      userName: 'M',
      userDocument: '123',
      userPhone: '',
      password_confirmation: 'Bipe#2027',
      consent_privacy_terms: false,
      consent_lgpd_terms: false,
    })
    expect(faultSentence(faults)).toBe(
      'Falta preencher: Telefone, consentimentos. Confira: Nome Completo, CPF, Confirmar Senha',
    )
  })
})
