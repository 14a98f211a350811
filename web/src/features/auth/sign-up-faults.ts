// What keeps the sign-up form from being sent, in the order of its fields. Pure.
import { faultSentence } from '../../lib/faults'
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

export function reasonOf(faults: readonly Fault[]): string {
  return faultSentence(faults.map(({ name, isEmpty }) => ({ label: signUpLabels[name], isEmpty })))
}
