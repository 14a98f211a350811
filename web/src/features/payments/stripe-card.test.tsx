// @vitest-environment happy-dom
import type { ReactNode } from 'react'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { Provider } from '../../api/payments'
import { Announcer } from '../../ui/announcer'
import type { CardEntry } from './card-gateway'
import StripeCard from './stripe-card'

const { stripe } = vi.hoisted(() => ({ stripe: { createPaymentMethod: vi.fn<(data: object) => Promise<object>>() } }))
const card = {}
vi.mock('@stripe/stripe-js', () => ({ loadStripe: async () => stripe }))
vi.mock('@stripe/react-stripe-js', () => ({
  Elements: ({ children }: { children: ReactNode }) => children,
  CardElement: ({ onChange }: { onChange: (event: object) => void }) => (
    <input onChange={() => onChange({ complete: false, empty: false, error: { message: 'Número inválido.' } })} />
  ),
  useStripe: () => stripe,
  useElements: () => ({ getElement: () => card }),
}))

const provider = { name: 'stripe', publishableKey: 'pk_test_1', methods: [], sandbox: false } satisfies Provider

afterEach(cleanup)

test('the provider is sent the name and the email of the payer and nothing else', async () => {
  stripe.createPaymentMethod.mockResolvedValue({ paymentMethod: { id: 'pm_1' } })
  let entry: CardEntry | undefined
  render(<StripeCard provider={provider} collapsed={false} disabled={false} onChange={(next) => void (entry = next)} />)
  const payer = { id: 'u1', name: 'Maria', email: 'maria@exemplo.com.br', document: '11144477735' }
  expect(await entry?.gateway?.createPaymentMethod(payer)).toBe('pm_1')
  expect(stripe.createPaymentMethod.mock.calls).toEqual([
    [{ type: 'card', card, billing_details: { name: 'Maria', email: 'maria@exemplo.com.br' } }],
  ])
})

test('the card entry has a name, and its error is announced', async () => {
  render(
    <>
      <StripeCard provider={provider} collapsed={false} disabled={false} onChange={() => undefined} />
      <Announcer />
    </>,
  )
  const group = screen.getByRole('group', { name: 'Dados do cartão' })
  fireEvent.change(group.querySelector('input') ?? group, { target: { value: '4' } })
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Número inválido.'))
})
