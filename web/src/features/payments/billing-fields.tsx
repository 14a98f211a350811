// The fields that a method names in `requiredFields` and only those: the payer's CPF and, for a boleto, the address.
import { useState, type ComponentProps } from 'react'
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

interface FieldSpec extends ComponentProps<'input'> {
  label: string
  /** Puts what is typed into its form. */
  format?: (text: string) => string
}

const FIELDS: Record<Name, FieldSpec> = {
  taxId: { label: 'CPF', className: 'col-span-6', format: formatCpf, inputMode: 'numeric' },
  postalCode: {
    label: 'CEP',
    className: 'col-span-6 sm:col-span-2',
    format: formatCep,
    inputMode: 'numeric',
    autoComplete: 'postal-code',
    placeholder: '00000-000',
  },
  line1: {
    label: 'Endereço',
    className: 'col-span-6 sm:col-span-4',
    autoComplete: 'address-line1',
    placeholder: 'Rua e número',
  },
  city: { label: 'Cidade', className: 'col-span-4', autoComplete: 'address-level2' },
  state: { label: 'UF', className: 'col-span-2', autoComplete: 'address-level1' },
}

export interface Billing {
  names: readonly Name[]
  values: Values
  set: (name: Name, value: string) => void
  leave: (name: Name) => void
  errorOf: (name: Name) => string | undefined
  /** The labels of what is not filled in yet. */
  missing: readonly string[]
  value: BillingDetails | undefined
}

type Refused = Record<string, string | number>
const nothingRefused: Refused = {}

/** `required` are the provider's names (`taxId`, `address.city`, ...); names that we always send are ignored. */
export function useBilling(required: string[], document: string, refused: Refused = nothingRefused): Billing {
  const [values, setValues] = useState<Values>({
    taxId: formatCpf(document),
    postalCode: '',
    line1: '',
    city: '',
    state: '',
  })
  const wanted = required.map((name) => name.split('.').at(-1))
  const names = (['taxId', ...ADDRESS] as const).filter(
    (name) => wanted.includes(name) || (name !== 'taxId' && wanted.includes('address')),
  )
  const [left, setLeft] = useState<Partial<Record<Name, boolean>>>({})
  /** The refusal that stood when the field was last edited: what is edited is no longer what was refused. */
  const [edited, setEdited] = useState<Partial<Record<Name, Refused>>>({})
  const missing = names.filter((name) => !isComplete(name, values[name]))
  return {
    names,
    values,
    set: (name, value) => {
      setValues((before) => ({ ...before, [name]: value }))
      setEdited((before) => ({ ...before, [name]: refused }))
    },
    leave: (name) => setLeft((before) => ({ ...before, [name]: true })),
    errorOf: (name) => {
      const code = Object.entries(refused).find(([path]) => path.split('.').at(-1) === name)?.[1]
      if (typeof code === 'string' && edited[name] !== refused) return fieldSentenceOf(code)
      return left[name] && missing.includes(name) ? fieldSentenceOf(refusalOf(name, values[name])) : undefined
    },
    missing: missing.map((name) => FIELDS[name].label),
    value: missing.length === 0 && names.length > 0 ? detailsOf(names, values) : undefined,
  }
}

function refusalOf(name: Name, value: string): string {
  if (value.trim() === '') return 'REQUIRED'
  return name === 'taxId' ? 'DOCUMENT_INVALID' : 'INVALID'
}

function isComplete(name: Name, value: string): boolean {
  if (name === 'taxId') return parseCpf(value) !== null
  if (name === 'postalCode') return /^\d{5}-?\d{3}$/.test(value)
  return value.trim().length >= 2
}

function detailsOf(names: readonly Name[], { taxId, line1, city, state, postalCode }: Values): BillingDetails {
  return {
    ...(names.includes('taxId') && { taxId: parseCpf(taxId) ?? taxId }),
    ...(names.includes('line1') && {
      address: { line1: line1.trim(), city: city.trim(), state, postalCode: postalCode.replace('-', '') },
    }),
  }
}

function formatCep(text: string): string {
  const digits = text.replace(/\D/g, '').slice(0, 8)
  return digits.length > 5 ? `${digits.slice(0, 5)}-${digits.slice(5)}` : digits
}

export function BillingFields({ billing, disabled }: { billing: Billing; disabled: boolean }) {
  const { names, values, set, leave, errorOf } = billing
  if (names.length === 0) return null
  const digits = parseCpf(values.taxId)
  const doubtful = digits !== null && !hasValidCheckDigits(digits)
  return (
    <fieldset className="grid grid-cols-6 gap-3" disabled={disabled}>
      <legend className="mb-3 text-body font-semibold">Dados do pagador</legend>
      {names.map((name) => {
        const { label, className, format, ...input } = FIELDS[name]
        const control = {
          value: values[name],
          onBlur: () => leave(name),
          onChange: ({ target }: { target: { value: string } }) =>
            set(name, format ? format(target.value) : target.value),
        }
        const hint = name === 'taxId' && doubtful ? 'Confira o CPF' : undefined
        return (
          <Field key={name} className={className} label={label} error={errorOf(name)} hint={hint}>
            {name === 'state' ? (
              <Select {...control} autoComplete={input.autoComplete} options={STATES.map((state) => [state, state])}>
                <option value="">--</option>
              </Select>
            ) : (
              <Input {...control} {...input} />
            )}
          </Field>
        )
      })}
    </fieldset>
  )
}
