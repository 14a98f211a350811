// The fields that a method names in `requiredFields` and only those: the payer's CPF or CNPJ and, for a boleto, the
// address. They begin with the company's billing profile, and without one with the person's CPF.
import { useRef, useState, type ComponentProps } from 'react'
import type { BillingProfile } from '../../api/billing-profile'
import type { BillingDetails } from '../../api/payments'
import { fieldSentenceOf } from '../../api/errors'
import { useAddressByCep } from '../../api/use-address-by-cep'
import type { Fault } from '../../lib/faults'
import { plainText } from '../../lib/plain-text'
import { formatCep, parseCep, STATES } from '../../lib/postal'
import { formatTaxId, parseTaxId, taxIdProblem } from '../../lib/tax-id'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import { MaskedInput } from '../../ui/masked-input'
import { Select } from '../../ui/select'

interface Values {
  taxId: string
  postalCode: string
  line1: string
  city: string
  state: string
}
type Name = keyof Values

const ADDRESS: readonly Name[] = ['postalCode', 'line1', 'city', 'state']

interface FieldSpec extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  label: string
  /** Puts what is typed into its form. */
  format?: (text: string) => string
}

const FIELDS: Record<Name, FieldSpec> = {
  taxId: {
    label: 'CPF ou CNPJ',
    className: 'col-span-6',
    format: formatTaxId,
    autoComplete: 'off',
    autoCapitalize: 'characters',
  },
  postalCode: {
    label: 'CEP',
    className: 'col-span-6 sm:col-span-3',
    format: formatCep,
    inputMode: 'numeric',
    autoComplete: 'postal-code',
    placeholder: '00000-000',
  },
  line1: {
    label: 'Endereço',
    className: 'col-span-6 sm:col-span-3',
    autoComplete: 'address-line1',
    placeholder: 'Rua e número',
  },
  city: { label: 'Cidade', className: 'col-span-4', autoComplete: 'address-level2' },
  state: { label: 'UF', className: 'col-span-2', autoComplete: 'address-level1' },
}

interface Billing {
  names: readonly Name[]
  values: Values
  set: (name: Name, value: string) => void
  /** Puts what was found into the fields that still hold what they held before. */
  fill: (found: Partial<Values>, before: Values) => void
  leave: (name: Name) => void
  errorOf: (name: Name) => string | undefined
  /** Something else than what was known stands in a field. */
  isTyped: boolean
  faults: readonly Fault[]
  value: BillingDetails | undefined
  /** To whom the tax id belongs, where the billing profile says it. */
  payerName: string | undefined
}

type Refused = Record<string, string | number>
const nothingRefused: Refused = {}

/** What the fields begin with. */
export interface KnownPayer {
  /** The person's CPF. */
  document: string
  profile: BillingProfile | null
}

/** `required` are the provider's names (`taxId`, `address.city`, ...); names that we always send are ignored. */
export function useBilling(required: string[], known: KnownPayer, refused: Refused = nothingRefused): Billing {
  // A profile that is read later changes nothing of what the fields began with.
  const [begun] = useState<Values>(() => valuesOf(known))
  const [values, setValues] = useState(begun)
  const wanted = required.map((name) => name.split('.').at(-1))
  const names = (['taxId', ...ADDRESS] as const).filter(
    (name) => wanted.includes(name) || (name !== 'taxId' && wanted.includes('address')),
  )
  const [left, setLeft] = useState<Partial<Record<Name, boolean>>>({})
  /** The refusal that stood when the field was last edited: what is edited is no longer what was refused. */
  const [edited, setEdited] = useState<Partial<Record<Name, Refused>>>({})
  const wrong = names.filter((name) => !isComplete(name, values[name]))
  return {
    names,
    values,
    set: (name, value) => {
      setValues((before) => ({ ...before, [name]: value }))
      setEdited((before) => ({ ...before, [name]: refused }))
    },
    fill: (found, before) => {
      const names = Object.keys(found) as Name[]
      setValues((now) => {
        const untouched = names.filter((name) => now[name] === before[name])
        return { ...now, ...Object.fromEntries(untouched.map((name) => [name, found[name]])) }
      })
      setEdited((now) => ({ ...now, ...Object.fromEntries(names.map((name) => [name, refused])) }))
    },
    leave: (name) => setLeft((before) => ({ ...before, [name]: true })),
    errorOf: (name) => {
      const code = Object.entries(refused).find(([path]) => path.split('.').at(-1) === name)?.[1]
      if (typeof code === 'string' && edited[name] !== refused)
        return code === 'DOCUMENT_INVALID' ? taxIdProblem(values.taxId) : fieldSentenceOf(code)
      // What a field began with was never typed, so nobody has left it.
      const isShown = left[name] || (values[name] !== '' && values[name] === begun[name])
      return isShown && wrong.includes(name) ? problemOf(name, values[name]) : undefined
    },
    isTyped: names.some((name) => values[name] !== begun[name]),
    faults: wrong.map((name) => ({ label: FIELDS[name].label, isEmpty: values[name].trim() === '' })),
    value: wrong.length === 0 && names.length > 0 ? detailsOf(names, values) : undefined,
    payerName: names.includes('taxId') ? nameOf(known.profile, values.taxId) : undefined,
  }
}

function valuesOf({ document, profile }: KnownPayer): Values {
  if (!profile) return { taxId: formatTaxId(document), postalCode: '', line1: '', city: '', state: '' }
  const { street, number, complement, city, state, postalCode } = profile.address
  const line1 = [street, number, complement].filter(Boolean).join(', ')
  return { taxId: formatTaxId(profile.taxId), postalCode: formatCep(postalCode), line1, city, state }
}

function nameOf(profile: BillingProfile | null, taxId: string): string | undefined {
  return profile && parseTaxId(taxId)?.text === profile.taxId ? profile.legalName : undefined
}

function problemOf(name: Name, value: string): string {
  if (value.trim() === '') return fieldSentenceOf('REQUIRED')
  return name === 'taxId' ? taxIdProblem(value) : fieldSentenceOf('INVALID')
}

function isComplete(name: Name, value: string): boolean {
  if (name === 'taxId') return parseTaxId(value) !== null
  if (name === 'postalCode') return parseCep(value) !== null
  return plainText(value).length >= 2
}

function detailsOf(names: readonly Name[], { taxId, line1, city, state, postalCode }: Values): BillingDetails {
  return {
    ...(names.includes('taxId') && { taxId: parseTaxId(taxId)?.text ?? taxId }),
    ...(names.includes('line1') && {
      address: {
        line1: plainText(line1),
        city: plainText(city),
        state,
        postalCode: parseCep(postalCode) ?? postalCode,
      },
    }),
  }
}

/** The address line for the street of a CEP. Without a street, a line that begins with the `earlier` one is emptied. */
function lineOf(street: string | undefined, line1: string, earlier: string | undefined): string {
  if (street) return line1.startsWith(street) ? line1 : `${street}, `
  return earlier && line1.startsWith(earlier) ? '' : line1
}

export function BillingFields({ billing, disabled }: { billing: Billing; disabled: boolean }) {
  const { names, values, set, fill, leave, errorOf } = billing
  const fields = useRef<HTMLFieldSetElement>(null)
  const found = useAddressByCep<Values>(({ street, city, state }, before, earlier) => {
    const line1 = lineOf(street, before.line1, earlier?.street)
    fill({ city, state, ...(line1 !== before.line1 && { line1 }) }, before)
    // The number comes next. Whoever has gone on to another field stays there.
    if (document.activeElement?.getAttribute('name') === 'postalCode')
      fields.current?.querySelector<HTMLInputElement>('[name=line1]')?.focus()
  }, values.postalCode)
  if (names.length === 0) return null
  return (
    <fieldset ref={fields} className="grid grid-cols-6 gap-3" disabled={disabled}>
      <legend className="mb-3 text-body font-semibold">Dados do pagador</legend>
      {names.map((name) => {
        const { label, className, format, ...input } = FIELDS[name]
        const control = { name, value: values[name], onBlur: () => leave(name) }
        const onValue = (value: string) => {
          set(name, value)
          if (name === 'postalCode') found.look(value, values)
        }
        const onChange = ({ target }: { target: { value: string } }) => onValue(target.value)
        const hint = name === 'postalCode' ? found.hint : undefined
        return (
          <Field key={name} className={className} label={label} error={errorOf(name)} hint={hint} required>
            {name === 'state' && (
              <Select
                {...control}
                onChange={onChange}
                autoComplete={input.autoComplete}
                options={STATES.map((state) => [state, state])}
              >
                <option value="">--</option>
              </Select>
            )}
            {format && <MaskedInput {...control} {...input} format={format} onValue={onValue} />}
            {name !== 'state' && !format && <Input {...control} {...input} onChange={onChange} />}
          </Field>
        )
      })}
    </fieldset>
  )
}
