// @vitest-environment happy-dom
import type { ReactNode } from 'react'
import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { Provider } from '../../api/payments'
import type { CardEntry } from './card-gateway'
import StripeCard from './stripe-card'

const { stripe } = vi.hoisted(() => ({ stripe: { createPaymentMethod: vi.fn<(data: object) => Promise<object>>() } }))
const card = {}
vi.mock('@stripe/stripe-js', () => ({ loadStripe: async () => stripe }))
vi.mock('@stripe/react-stripe-js', () => ({
  CardElement: () => null,
  Elements: ({ children }: { children: ReactNode }) => children,
  useStripe: () => stripe,
  useElements: () => ({ getElement: () => card }),
}))

afterEach(cleanup)

test('the provider is sent the name and the email of the payer and nothing else', async () => {
  stripe.createPaymentMethod.mockResolvedValue({ paymentMethod: { id: 'pm_1' } })
  let entry: CardEntry | undefined
  const provider = { name: 'stripe', publishableKey: 'pk_test_1', methods: [], sandbox: false } satisfies Provider
  render(<StripeCard provider={provider} collapsed={false} disabled={false} onChange={(next) => void (entry = next)} />)
  const payer = { id: 'u1', name: 'Maria', email: 'maria@exemplo.com.br', document: '11144477735' }
  expect(await entry?.gateway?.createPaymentMethod(payer)).toBe('pm_1')
  expect(stripe.createPaymentMethod.mock.calls).toEqual([
    [{ type: 'card', card, billing_details: { name: 'Maria', email: 'maria@exemplo.com.br' } }],
  ])
})
