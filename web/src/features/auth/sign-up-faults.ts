// What keeps the sign-up form from being sent, in the order of its fields. Pure.
import { signUpLabels, type SignUpForm, type SignUpSchema } from './sign-up-schema'

export interface Fault {
  name: keyof SignUpForm
  isEmpty: boolean
}

export function faultsOf(schema: SignUpSchema, values: SignUpForm): Fault[] {
  const result = schema.safeParse(values)
  const wrong = new Set(result.error?.issues.map(({ path }) => path[0]))
  return (Object.keys(signUpLabels) as (keyof SignUpForm)[])
    .filter((name) => wrong.has(name))
    .map((name) => ({ name, isEmpty: values[name] === '' || values[name] === false }))
}

/** Names every field: those without a value, then those whose value is wrong. */
export function reasonOf(faults: readonly Fault[]): string {
  const named = (isEmpty: boolean) => [
    ...new Set(faults.filter((fault) => fault.isEmpty === isEmpty).map(({ name }) => signUpLabels[name])),
  ]
  return [['Falta preencher', named(true)] as const, ['Confira', named(false)] as const]
    .filter(([, fields]) => fields.length > 0)
    .map(([what, fields]) => `${what}: ${fields.join(', ')}`)
    .join('. ')
}
