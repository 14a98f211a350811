import { describe, expect, it } from 'vitest'
import type { BillingProfile } from '../../api/billing-profile'
import { billingProfileFields, billingProfileSchema, requestOf, valuesOf } from './billing-profile-schema'

const profile: BillingProfile = {
  version: 3,
  taxId: '12ABC34501DE35',
  taxIdKind: 'cnpj',
  legalName: 'Entregas Norte Ltda',
  address: {
    postalCode: '01310100',
    street: 'Avenida Paulista',
    number: '1000',
    district: 'Bela Vista',
    city: 'São Paulo',
    state: 'SP',
  },
  billingEmails: ['nf@exemplo.com.br', 'contas@exemplo.com.br'],
  updatedAt: '2026-11-21T12:00:00Z',
}

/** The problems of a form with these changes, by field. */
function problems(change: object): Record<string, string> {
  const checked = billingProfileSchema.safeParse({ ...valuesOf(profile), ...change })
  return Object.fromEntries((checked.error?.issues ?? []).map(({ path, message }) => [path.join('.'), message]))
}

describe('the form of the billing profile', () => {
  it('shows a version and sends what it shows', () => {
    const values = valuesOf(profile)
    expect([values.taxId, values.address.postalCode]).toEqual(['12.ABC.345/01DE-35', '01310-100'])
    const { version, address, billingEmails } = requestOf(billingProfileSchema.parse(values), 3)
    expect([version, address.complement, billingEmails]).toEqual([3, undefined, profile.billingEmails])
  })

  it('sends addresses without the marks of a copied text', () => {
    for (const billingEmails of ['\u202anf@exemplo.com.br\u202c', 'nf@exemplo\u200b.com.br\u200b']) {
      const copied = billingProfileSchema.parse({ ...valuesOf(profile), billingEmails })
      expect(requestOf(copied, 3).billingEmails).toEqual(['nf@exemplo.com.br'])
    }
  })

  it('asks for everything but trade name, complement and addresses', () => {
    const optional = ['tradeName', 'address.complement', 'billingEmails']
    const asked = billingProfileFields.filter((name) => !optional.includes(name))
    expect(Object.keys(problems(valuesOf(null))).toSorted()).toEqual(asked.toSorted())
  })

  it('says what is wrong where it is wrong', () => {
    expect(problems({ taxId: '111.444.777-34' }).taxId).toMatch(/^CPF inválido/)
    expect(problems({ tradeName: 'A' }).tradeName).toMatch(/pelo menos 2/)
    expect(problems({ billingEmails: 'nf@exemplo.com.br, nf@' }).billingEmails).toBe('Email inválido: nf@')
    const six = Array.from({ length: 6 }, (_, place) => `nf${place}@exemplo.com.br`).join(' ')
    expect(problems({ billingEmails: six }).billingEmails).toMatch(/no máximo 5/)
  })

  it('counts an emoji of a name as one character', () => {
    expect(problems({ legalName: '🚚'.repeat(100) })).toEqual({})
    expect(problems({ legalName: '🚚'.repeat(101) }).legalName).toBe('Texto muito longo')
  })
})
