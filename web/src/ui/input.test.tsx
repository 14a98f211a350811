// @vitest-environment happy-dom
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Input } from './input'
import { MaskedInput } from './masked-input'
import { PasswordInput } from './password-input'

const correction = (label: string) => screen.getByLabelText(label).getAttribute('autocorrect')

test('a phone corrects words, and neither a shown password nor a document', () => {
  render(
    <>
      <Input aria-label="Nome" />
      <PasswordInput aria-label="Senha" />
      <MaskedInput aria-label="CNPJ" value="" format={(text) => text} onValue={() => undefined} />
    </>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Mostrar senha' }))
  expect(screen.getByLabelText('Senha').getAttribute('type')).toBe('text')
  expect(['Nome', 'Senha', 'CNPJ'].map(correction)).toEqual([null, 'off', 'off'])
})
