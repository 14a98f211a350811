// @vitest-environment happy-dom
import { useState } from 'react'
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { formatTaxId } from '../lib/tax-id'
import { MaskedInput } from './masked-input'

function Typed({ initial }: { initial: string }) {
  const [value, setValue] = useState(initial)
  return <MaskedInput value={value} format={formatTaxId} onValue={setValue} />
}

/** The control after its text became `typed` with the caret behind so many characters. */
function type(initial: string, typed: string, caret: number): HTMLInputElement {
  render(<Typed initial={initial} />)
  const control = screen.getByRole<HTMLInputElement>('textbox')
  // As a browser does it: the caret stands where the text was changed before anybody hears of it.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(control, typed)
  control.setSelectionRange(caret, caret)
  fireEvent.input(control)
  return control
}

test('what is typed gets its mask, and the caret stays behind it', () => {
  const control = type('111.444', '111.4447', 8)
  expect([control.value, control.selectionStart]).toEqual(['111.444.7', 9])
})

test('a correction in the middle leaves the caret there', () => {
  const control = type('111.444.777-35', '111.9444.777-35', 5)
  expect([control.value, control.selectionStart]).toEqual(['11.194.447/7735', 5])
})

test('a sign of the mask that is deleted comes back, and the caret stays before it', () => {
  const control = type('111.444.7', '111.4447', 7)
  expect([control.value, control.selectionStart]).toEqual(['111.444.7', 7])
})

test('what no mask fits stays as it was typed', () => {
  const control = type('11.222.333/0001-81', '11.222.333/0001-811', 19)
  expect([control.value, control.selectionStart]).toEqual(['11.222.333/0001-811', 19])
})
