// What keeps the sign-up form from being sent, in the order of its fields. Pure.
import type { Fault } from '../../lib/faults'
import { signUpLabels, type SignUpForm, type SignUpSchema } from './sign-up-schema'

export function faultsOf(schema: SignUpSchema, values: SignUpForm): Fault[] {
  const result = schema.safeParse(values)
  const wrong = new Set(result.error?.issues.map(({ path }) => path[0]))
  return (Object.keys(signUpLabels) as (keyof SignUpForm)[])
    .filter((name) => wrong.has(name))
    .map((name) => ({ label: signUpLabels[name], isEmpty: values[name] === '' || values[name] === false }))
}
