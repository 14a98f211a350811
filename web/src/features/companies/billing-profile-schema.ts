// The rules of the billing profile, each with its sentence, and the way between its form and the API.
import type { BillingProfile, BillingProfileForm } from '../../api/billing-profile'
import { fieldSentenceOf } from '../../api/errors'
import { atLeast, atMost, email, optional, refined, required } from '../../api/form-fields'
import { countCharacters } from '../../lib/characters'
import { plainText } from '../../lib/plain-text'
import { formatCep, parseCep, STATES } from '../../lib/postal'
import { formatTaxId, parseTaxId, taxIdProblem } from '../../lib/tax-id'
import { z } from '../../lib/zod'

const NAME_MAX = 100
const NUMBER_MAX = 20
const LINE_MAX = 60
const EMAILS_MAX = 5
const TOO_SHORT = fieldSentenceOf('NAME_TOO_SHORT')
const line = (most: number) => refined(required, atMost(most))
const optionalLine = (most: number) => optional.check(atMost(most))

function wrongEmail(typed: string): string | undefined {
  return emailsOf(typed).find((text) => !email.safeParse(text).success)
}

export const billingProfileSchema = z.object({
  taxId: refined(
    required,
    z.refine((text) => parseTaxId(text) !== null, { error: ({ input }) => taxIdProblem(String(input)) }),
  ),
  legalName: refined(required, atLeast(2, TOO_SHORT), atMost(NAME_MAX)),
  tradeName: optional.check(
    z.refine((text) => countCharacters(text) !== 1, TOO_SHORT),
    atMost(NAME_MAX),
  ),
  address: z.object({
    postalCode: refined(
      required,
      z.refine((text) => parseCep(text) !== null, 'CEP deve ter 8 dígitos'),
    ),
    street: line(NAME_MAX),
    number: line(NUMBER_MAX),
    complement: optionalLine(LINE_MAX),
    district: line(LINE_MAX),
    city: line(LINE_MAX),
    state: refined(
      required,
      z.refine((text) => STATES.includes(text), fieldSentenceOf('INVALID')),
    ),
  }),
  billingEmails: z.string().check(
    z.refine((text) => emailsOf(text).length <= EMAILS_MAX, `Informe no máximo ${EMAILS_MAX} emails`),
    z.refine((text) => wrongEmail(text) === undefined, {
      error: ({ input }) => `Email inválido: ${wrongEmail(String(input)) ?? ''}`,
    }),
  ),
})

export type BillingProfileValues = z.infer<typeof billingProfileSchema>

/** The names of the fields as the server's refusals have them. */
export const billingProfileFields = [
  'taxId',
  'legalName',
  'tradeName',
  'address.postalCode',
  'address.street',
  'address.number',
  'address.complement',
  'address.district',
  'address.city',
  'address.state',
  'billingEmails',
] as const

/** What the form shows of a version; of none, nothing. */
export function valuesOf(profile: BillingProfile | null): BillingProfileValues {
  const address = profile?.address
  return {
    taxId: formatTaxId(profile?.taxId ?? ''),
    legalName: profile?.legalName ?? '',
    tradeName: profile?.tradeName ?? '',
    address: {
      postalCode: formatCep(address?.postalCode ?? ''),
      street: address?.street ?? '',
      number: address?.number ?? '',
      complement: address?.complement ?? '',
      district: address?.district ?? '',
      city: address?.city ?? '',
      state: address?.state ?? '',
    },
    billingEmails: profile?.billingEmails.join(', ') ?? '',
  }
}

export function requestOf(values: BillingProfileValues, version: number): BillingProfileForm {
  const { tradeName, address, billingEmails, ...rest } = values
  return {
    ...rest,
    version,
    tradeName: tradeName || undefined,
    address: {
      ...address,
      complement: address.complement || undefined,
      state: address.state as BillingProfileForm['address']['state'],
    },
    billingEmails: emailsOf(billingEmails),
  }
}

function emailsOf(typed: string): string[] {
  return plainText(typed)
    .split(/[\s,;]+/)
    .filter(Boolean)
}
