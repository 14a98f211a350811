// @vitest-environment happy-dom
import type { ReactNode } from 'react'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Provider } from '../../api/payments'
import { Announcer } from '../../ui/announcer'
import { Dialog } from '../../ui/dialog'
import type { CardEntry, CardGateway } from './card-gateway'
import StripeCardForm from './stripe-card-form'

const { stripe, loaded } = vi.hoisted(() => ({
  loaded: { is: true },
  stripe: {
    createPaymentMethod: vi.fn<(data: object) => Promise<object>>(),
    confirmCardPayment: vi.fn<(secret: string) => Promise<object>>(),
    retrieveSetupIntent: vi.fn<(secret: string) => Promise<object>>(),
    handleNextAction: vi.fn<(options: object) => Promise<object>>(),
  },
}))
const card = {}
vi.mock('@stripe/stripe-js', () => ({ loadStripe: async () => stripe }))
vi.mock('@stripe/react-stripe-js', () => ({
  Elements: ({ children }: { children: ReactNode }) => children,
  CardElement: ({ onChange }: { onChange: (event: object) => void }) => (
    <input onChange={() => onChange({ complete: false, empty: false, error: { message: 'Número inválido.' } })} />
  ),
  useStripe: () => (loaded.is ? stripe : null),
  useElements: () => ({ getElement: () => card }),
}))

const provider = { name: 'stripe', publishableKey: 'pk_test_1', methods: [], sandbox: false } satisfies Provider

beforeEach(() => {
  vi.resetAllMocks()
  loaded.is = true
})

function gateway(): CardGateway {
  const entries: CardEntry[] = []
  render(
    <StripeCardForm
      provider={provider}
      collapsed={false}
      disabled={false}
      onChange={(entry) => void entries.push(entry)}
    />,
  )
  const made = entries.at(-1)?.gateway
  if (!made) throw new Error('no gateway')
  return made
}

test('the provider is sent the name and the email of the payer and nothing else', async () => {
  stripe.createPaymentMethod.mockResolvedValue({ paymentMethod: { id: 'pm_1' } })
  const payer = { id: 'u1', name: 'Maria', email: 'maria@exemplo.com.br', document: '11144477735' }
  expect(await gateway().createPaymentMethod(payer)).toBe('pm_1')
  expect(stripe.createPaymentMethod.mock.calls).toEqual([
    [{ type: 'card', card, billing_details: { name: 'Maria', email: 'maria@exemplo.com.br' } }],
  ])
})

test('the card entry has a name, and its error is announced', async () => {
  render(
    <>
      <StripeCardForm provider={provider} collapsed={false} disabled={false} onChange={() => undefined} />
      <Announcer />
    </>,
  )
  const group = screen.getByRole('group', { name: 'Dados do cartão' })
  fireEvent.change(group.querySelector('input') ?? group, { target: { value: '4' } })
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Número inválido.'))
})

test.each([
  [true, []],
  [false, [{ label: 'Dados do cartão', isEmpty: true }]],
])('until Stripe is there nothing is missing of a saved card: collapsed %s', (collapsed, faults) => {
  loaded.is = false
  const onChange = vi.fn<(entry: CardEntry) => void>()
  render(<StripeCardForm provider={provider} collapsed={collapsed} disabled={false} onChange={onChange} />)
  expect(onChange.mock.lastCall?.[0]).toMatchObject({ complete: false, faults })
})

test('another card in the field is another entry', () => {
  const onChange = vi.fn<(entry: CardEntry) => void>()
  render(<StripeCardForm provider={provider} collapsed={false} disabled={false} onChange={onChange} />)
  const field = screen.getByRole('textbox')
  fireEvent.change(field, { target: { value: '4' } })
  const first = onChange.mock.calls.length
  fireEvent.change(field, { target: { value: '5' } })
  expect(onChange.mock.calls.length).toBeGreaterThan(first)
})

test('a card that was typed before a saved one was chosen is gone with its field', () => {
  const onChange = vi.fn<(entry: CardEntry) => void>()
  const form = (collapsed: boolean) => (
    <StripeCardForm provider={provider} collapsed={collapsed} disabled={false} onChange={onChange} />
  )
  const { rerender } = render(form(false))
  fireEvent.change(screen.getByRole('textbox'), { target: { value: '4' } })
  expect(onChange.mock.lastCall?.[0]).toMatchObject({ isTyped: true })
  rerender(form(true))
  rerender(form(false))
  const faults = [{ label: 'Dados do cartão', isEmpty: true }]
  expect(onChange.mock.lastCall?.[0]).toMatchObject({ complete: false, faults, isTyped: false })
})

test('the focus may leave the dialog for the page of the bank, and for nothing else', async () => {
  render(
    <Dialog onClose={() => undefined} title="Pagamento">
      <StripeCardForm provider={provider} collapsed={false} disabled={false} onChange={() => undefined} />
    </Dialog>,
  )
  await waitFor(() => expect(document.activeElement?.closest('[role="dialog"]')).toBeTruthy())
  const around = document.createElement('div')
  document.body.append(around)
  const beside = (name: string) => {
    const frame = document.createElement('iframe')
    frame.name = name
    frame.srcdoc = ''
    around.append(frame)
    frame.focus()
    return frame
  }
  const other = beside('other')
  expect(document.activeElement).not.toBe(other)
  const bank = beside('__privateStripeFrame8')
  expect(document.activeElement).toBe(bank)
  around.remove()
})

test('a card that is saved is confirmed at the bank where the bank asks, and nowhere else', async () => {
  const { setUpCard } = gateway()
  stripe.retrieveSetupIntent.mockResolvedValue({ setupIntent: { status: 'requires_action' } })
  stripe.handleNextAction.mockResolvedValue({ setupIntent: { status: 'succeeded' } })
  expect(await setUpCard('seti_1_secret_2')).toBe('succeeded')
  expect(stripe.retrieveSetupIntent).toHaveBeenCalledWith('seti_1_secret_2')
  expect(stripe.handleNextAction.mock.calls).toEqual([[{ clientSecret: 'seti_1_secret_2' }]])
  stripe.retrieveSetupIntent.mockResolvedValue({ setupIntent: { status: 'succeeded' } })
  expect(await setUpCard('seti_1_secret_2')).toBe('succeeded')
  expect(stripe.handleNextAction).toHaveBeenCalledOnce()
})

test('the refusal of a bank has the code of the provider, also one of before', async () => {
  const { setUpCard } = gateway()
  const error = { code: 'setup_intent_authentication_failure', message: 'no' }
  const refused = expect.objectContaining({ code: 'setup_intent_authentication_failure' }) as unknown
  stripe.retrieveSetupIntent.mockResolvedValue({ setupIntent: { status: 'requires_action' } })
  stripe.handleNextAction.mockResolvedValue({ error })
  await expect(setUpCard('seti_1_secret_2')).rejects.toEqual(refused)
  const setupIntent = { status: 'requires_payment_method', last_setup_error: error }
  stripe.retrieveSetupIntent.mockResolvedValue({ setupIntent })
  await expect(setUpCard('seti_1_secret_2')).rejects.toEqual(refused)
})

test.each([
  ['api_connection_error', 'NETWORK_ERROR'],
  ['api_error', 'PROVIDER_UNAVAILABLE'],
  ['rate_limit_error', 'PROVIDER_UNAVAILABLE'],
])('an %s is no refusal of a bank', async (type, code) => {
  const { createPaymentMethod, confirmCardPayment } = gateway()
  const failed = expect.objectContaining({ name: 'ApiError', code, isUncertain: true }) as unknown
  stripe.createPaymentMethod.mockResolvedValue({ error: { type } })
  await expect(createPaymentMethod({ name: 'Maria', email: 'maria@exemplo.com.br' })).rejects.toEqual(failed)
  stripe.confirmCardPayment.mockResolvedValue({ error: { type } })
  await expect(confirmCardPayment('pi_1_secret_2')).rejects.toEqual(failed)
})
