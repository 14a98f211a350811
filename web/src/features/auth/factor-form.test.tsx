// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { FactorForm } from './factor-form'

afterEach(cleanup)

test('letters of a pasted code are told until the next digit is typed', () => {
  render(<FactorForm methods={['totp']} onProof={vi.fn()} onPasskey={vi.fn()} />)
  const field = screen.getByLabelText<HTMLInputElement>(/^Código do aplicativo/)
  fireEvent.paste(field, { clipboardData: { getData: () => '12a' } })
  expect(field.value).toBe('12')
  screen.getByText('Código deve conter apenas números')
  fireEvent.change(field, { target: { value: '123' } })
  expect(screen.queryByText('Código deve conter apenas números')).toBeNull()
})
