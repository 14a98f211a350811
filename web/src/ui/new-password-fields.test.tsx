// @vitest-environment happy-dom
import { render, screen } from '@testing-library/react'
import { useForm } from 'react-hook-form'
import { expect, test } from 'vitest'
import { isStrongPassword } from '../lib/password'
import { NewPasswordFields } from './new-password-fields'

function Fields() {
  const form = useForm({ defaultValues: { one: '', two: '' } })
  return <NewPasswordFields form={form} names={['one', 'two']} labels={['Senha', 'Confirmar Senha']} />
}

test('both fields tell Safari the symbols of the rule', () => {
  render(<Fields />)
  for (const field of ['Senha', 'Confirmar Senha']) {
    const rules = screen.getByLabelText(field).getAttribute('passwordrules') ?? ''
    const symbols = /required: \[(.+)\]/.exec(rules)?.[1] ?? ''
    const printable = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at))
    const taken = printable.filter((letter) => !/[a-z0-9]/i.test(letter) && isStrongPassword(`Abcdefg1${letter}`))
    expect([...symbols].toSorted()).toEqual(taken.toSorted())
  }
})
