// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { Payment } from '../../api/payments'
import { buttonClass } from '../../ui/button'
import { BoletoCard } from './boleto-card'

afterEach(cleanup)

test('copying the line is the button to press', () => {
  const payment = { bankSlipLine: '1'.repeat(47), createdAt: '2026-11-22T15:00:00Z' } as Payment
  render(<BoletoCard payment={payment} superseded={false} />)
  expect(screen.getByRole('button', { name: 'Copiar linha' }).className).toBe(buttonClass({ variant: 'primary' }))
})
