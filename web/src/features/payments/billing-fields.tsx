// The fields that a method names in `requiredFields` and only those: the payer's CPF and, for a boleto, the address.
import { useState } from 'react'
import type { BillingDetails } from '../../api/payments'
import { fieldSentenceOf } from '../../api/errors'
import { formatCpf, hasValidCheckDigits, parseCpf } from '../../lib/cpf'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import { Select } from '../../ui/select'

const STATES = 'AC AL AP AM BA CE DF ES GO MA MT MS MG PA PB PR PE PI RJ RN RS RO RR SC SP SE TO'.split(' ')

interface Values {
  taxId: string
  postalCode: string
  line1: string
  city: string
  state: string
}
type Name = keyof Values

const ADDRESS: readonly Name[] = ['postalCode', 'line1', 'city', 'state']

export interface Billing {
  names: readonly Name[]
  values: Values
  set: (name: Name, value: string) => void
  errorOf: (name: Name) => string | undefined
  complete: boolean
  value: BillingDetails | undefined
}

/** `required` are the provider's names (`taxId`, `address.city`, ...); names that we always send are ignored. */
export function useBilling(required: string[], document: string, refused: Record<string, string | number> = {}): Billing {
  const [values, setValues] = useState<Values>({ taxId: formatCpf(document), postalCode: '', line1: '', city: '', state: '' })
  const wanted = required.map((name) => name.split('.').at(-1))
  const names = (['taxId', ...ADDRESS] as const).filter((name) => wanted.includes(name) || (name !== 'taxId' && wanted.includes('address')))
  const complete = names.every((name) => isComplete(name, values[name]))
  return {
    names,
    values,
    set: (name, value) => setValues((before) => ({ ...before, [name]: value })),
    errorOf: (name) => {
      const code = Object.entries(refused).find(([path]) => path.split('.').at(-1) === name)?.[1]
      return typeof code === 'string' ? fieldSentenceOf(code) : undefined
    },
    complete,
    value: complete && names.length > 0 ? detailsOf(names, values) : undefined,
  }
}

function isComplete(name: Name, value: string): boolean {
  if (name === 'taxId') return parseCpf(value) !== null
  if (name === 'postalCode') return /^\d{5}-?\d{3}$/.test(value)
  return value.trim().length >= 2
}

function detailsOf(names: readonly Name[], { taxId, line1, city, state, postalCode }: Values): BillingDetails {
  return {
    ...(names.includes('taxId') && { taxId: parseCpf(taxId) ?? taxId }),
    ...(names.includes('line1') && { address: { line1: line1.trim(), city: city.trim(), state, postalCode: postalCode.replace('-', '') } }),
  }
}

function typingCep(text: string): string {
  const digits = text.replace(/\D/g, '').slice(0, 8)
  return digits.length > 5 ? `${digits.slice(0, 5)}-${digits.slice(5)}` : digits
}

export function BillingFields({ billing, disabled }: { billing: Billing; disabled: boolean }) {
  const { names, values, set, errorOf } = billing
  if (names.length === 0) return null
  const digits = parseCpf(values.taxId)
  const doubtful = digits !== null && !hasValidCheckDigits(digits)
  return (
    <fieldset className="grid grid-cols-6 gap-3" disabled={disabled}>
      <legend className="mb-1.5 text-label font-medium">Dados do pagador</legend>
      {names.includes('taxId') && (
        <Field className="col-span-6" label="CPF" error={errorOf('taxId')} hint={doubtful ? 'Confira o CPF' : undefined}>
          <Input value={values.taxId} onChange={(event) => set('taxId', formatCpf(event.target.value))} inputMode="numeric" />
        </Field>
      )}
      {names.includes('postalCode') && (
        <Field className="col-span-6 sm:col-span-2" label="CEP" error={errorOf('postalCode')}>
          <Input
            value={values.postalCode}
            onChange={(event) => set('postalCode', typingCep(event.target.value))}
            inputMode="numeric"
            autoComplete="postal-code"
            placeholder="00000-000"
          />
        </Field>
      )}
      {names.includes('line1') && (
        <Field className="col-span-6 sm:col-span-4" label="Endereço" error={errorOf('line1')}>
          <Input value={values.line1} onChange={(event) => set('line1', event.target.value)} autoComplete="address-line1" placeholder="Rua e número" />
        </Field>
      )}
      {names.includes('city') && (
        <Field className="col-span-4" label="Cidade" error={errorOf('city')}>
          <Input value={values.city} onChange={(event) => set('city', event.target.value)} autoComplete="address-level2" />
        </Field>
      )}
      {names.includes('state') && (
        <Field className="col-span-2" label="UF" error={errorOf('state')}>
          <Select value={values.state} onChange={(event) => set('state', event.target.value)} autoComplete="address-level1">
            <option value="">--</option>
            {STATES.map((state) => (
              <option key={state}>{state}</option>
            ))}
          </Select>
        </Field>
      )}
    </fieldset>
  )
}
