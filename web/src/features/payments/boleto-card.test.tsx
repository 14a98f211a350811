// @vitest-environment happy-dom
import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Payment } from '../../api/payments'
import { buttonClass } from '../../ui/button'
import { BoletoCard } from './boleto-card'

const DAY = 24 * 60 * 60_000
const dueIn = (days: number) =>
  ({
    paymentMethod: 'BANK_SLIP',
    bankSlipLine: '1'.repeat(47),
    bankSlipUrl: 'https://pay.example/boleto',
    createdAt: '2026-11-22T15:00:00Z',
    expiresAt: new Date(Date.now() + days * DAY).toISOString(),
  }) as Payment

test('copying the line is the button to press', () => {
  render(<BoletoCard payment={dueIn(3)} superseded={false} />)
  expect(screen.getByRole('button', { name: 'Copiar linha' }).className).toBe(buttonClass({ variant: 'primary' }))
  screen.getByText(/^Vence em/)
  screen.getByText(/Com outro pagamento no lugar dele, o boleto já não paga o plano: se for pago, o valor vira crédito/)
})

test.each([false, true])(
  'after its due day it is opened at most, and neither copied nor scanned; superseded: %s',
  (superseded) => {
    render(<BoletoCard payment={dueIn(-1)} superseded={superseded} />)
    screen.getByText(/^Venceu em/)
    screen.getByText(
      'Este boleto venceu, e o banco pode não aceitar mais o pagamento. Se você já pagou, aguarde a confirmação.',
    )
    screen.getByText(
      superseded ? /Se o boleto foi pago, o valor vira crédito\./ : /o que já foi pago por ele vira crédito/,
    )
    expect(screen.queryByRole('button')).toBeNull()
    expect(screen.queryByRole('link', { name: /Abrir boleto/ }) === null).toBe(superseded)
    expect(screen.queryByText(/até vencer|vence sozinho/)).toBeNull()
  },
)
