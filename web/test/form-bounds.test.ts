// Forms take the longest text and the largest number that the contract takes, and no more.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { companyEditSchema } from '../src/features/admin/companies/company-form'
import { planSchema } from '../src/features/admin/plans/plan-draft'
import { billingProfileSchema } from '../src/features/companies/billing-profile-schema'
import { companySchema } from '../src/features/companies/company-form'

interface Property {
  maxLength?: number
  maximum?: number
  oneOf?: Property[]
}
interface Form {
  safeParse: (values: unknown) => { error?: { issues: { path: PropertyKey[] }[] } }
}

const contract = JSON.parse(readFileSync(new URL('../../http/openapi.json', import.meta.url), 'utf8')) as {
  components: { schemas: Record<string, { properties: Record<string, Property> }> }
}

/** The largest value of a bounded property, and one that is too large. */
function boundOf({ maxLength, maximum, oneOf = [] }: Property): { fits: unknown; isTooMuch: unknown } | null {
  if (maxLength !== undefined) return { fits: 'a'.repeat(maxLength), isTooMuch: 'a'.repeat(maxLength + 1) }
  if (maximum !== undefined) return { fits: maximum, isTooMuch: maximum + 1 }
  return oneOf.map(boundOf).find((bound) => bound !== null) ?? null
}

test.each<[string, Form, string?]>([
  ['CompanyRequest', companySchema],
  ['CompanyEditRequest', companyEditSchema],
  ['PlanRequest', planSchema],
  ['LimitsRequest', planSchema, 'limits'],
  ['BillingProfileRequest', billingProfileSchema],
  ['PostalAddressRequest', billingProfileSchema, 'address'],
])('the form of a %s has the bounds of the contract', (body, form, part) => {
  // These have rules of their own; no text of one letter fits.
  const { taxId: _tax, postalCode: _code, state: _state, ...properties } = contract.components.schemas[body]!.properties
  const bounded = Object.entries(properties).flatMap(([name, property]) => {
    const bound = boundOf(property)
    return bound ? [{ name, ...bound }] : []
  })
  expect(bounded.length).toBeGreaterThan(1)
  for (const { name, fits, isTooMuch } of bounded) {
    const refuses = (value: unknown) => {
      const values = part ? { [part]: { [name]: value } } : { [name]: value }
      const wrong = form.safeParse(values).error?.issues.map(({ path }) => path.join('.')) ?? []
      return wrong.includes(part ? `${part}.${name}` : name)
    }
    expect([name, refuses(fits), refuses(isTooMuch)]).toEqual([name, false, true])
  }
})
