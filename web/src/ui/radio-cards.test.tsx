// @vitest-environment happy-dom
import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { RadioCards } from './radio-cards'

test('why an option cannot be chosen is not as pale as the option', () => {
  const options = [
    { value: 'PIX', label: 'PIX' },
    { value: 'BANK_SLIP', label: 'Boleto', disabledReason: 'A partir de R$ 5,00' },
  ]
  render(<RadioCards legend="Forma de pagamento" options={options} value="PIX" onChange={() => undefined} />)
  const isPale = (text: string) => screen.getByText(text).closest('.opacity-60') !== null
  expect(isPale('Boleto')).toBe(true)
  expect(isPale('PIX')).toBe(false)
  expect(isPale('A partir de R$ 5,00')).toBe(false)
})
