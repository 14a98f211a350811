// @vitest-environment happy-dom
import { useState } from 'react'
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { NumberInput, type NumberInputProps } from './number-input'

function Typed({ kind }: Pick<NumberInputProps, 'kind'>) {
  const [value, setValue] = useState<number | null>(null)
  return <NumberInput kind={kind} value={value} onChange={setValue} />
}

test.each([
  ['reais', '9999999999999,99', '9.999.999.999.999,99'],
  ['whole', '999999999999999', '999.999.999.999.999'],
] as const)('%s have no more digits than are exact', (kind, most, shown) => {
  render(<Typed kind={kind} />)
  const field = screen.getByRole<HTMLInputElement>('textbox')
  const type = (text: string) => fireEvent.change(field, { target: { value: text } })
  type(most)
  for (const more of [`${most}9`, '9'.repeat(25)]) {
    type(more)
    expect(field.value).toBe(most)
  }
  fireEvent.blur(field)
  expect(field.value).toBe(shown)
})
