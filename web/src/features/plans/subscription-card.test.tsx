// @vitest-environment happy-dom
import { useState } from 'react'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useQuery } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { askingCache, renderAt } from '../../../test/render'
import { api } from '../../api/client'
import { ApiError } from '../../api/errors'
import { subscriptionKeys, type Subscription } from '../../api/subscriptions'
import { notifySuccess, useToasts } from '../../ui/toast'
import { SubscriptionCard } from './subscription-card'

const active = {
  id: 's1',
  companyId: 'c1',
  planId: 'p1',
  plan: { id: 'p1', displayName: 'Essencial', isFree: false, limits: { maxUsers: 5, maxBeeping: 100 }, features: [] },
  billingCycle: 'monthly',
  price: 49.9,
  status: 'active',
  nextBillingDate: '2036-12-21T12:00:00Z',
  endDate: '2036-12-21T12:00:00Z',
  creditBalance: 0,
  version: 3,
} as unknown as Subscription
const cancelled = { ...active, status: 'canceled', canceledAt: '2026-11-21T12:00:00Z', version: 2 } as Subscription

function Shown() {
  const { data } = useQuery({ queryKey: subscriptionKeys.current('c1'), queryFn: () => active, enabled: false })
  const { toasts } = useToasts()
  return (
    <>
      {data && <SubscriptionCard subscription={data} canManage onChangePlan={() => {}} />}
      <output>{toasts.map(({ text }) => text).join(', ')}</output>
    </>
  )
}

function show(held: Subscription) {
  const queries = askingCache()
  queries.setQueryData(subscriptionKeys.current('c1'), held)
  renderAt('/', <Shown />, queries)
  /** What an event brings. */
  return (now: Subscription) =>
    act(async () => {
      queries.setQueryData(subscriptionKeys.current('c1'), now)
      await new Promise((resolve) => setTimeout(resolve))
    })
}

/** What is asked before the button does what it says. */
function asked(button: string): string | null {
  fireEvent.click(screen.getByRole('button', { name: button }))
  const question = screen.getByRole('alertdialog')
  return document.getElementById(question.getAttribute('aria-describedby') ?? '')?.textContent ?? null
}

test('a reactivation takes the place of the farewell and keeps the focus in the card', async () => {
  vi.spyOn(api, 'POST').mockResolvedValue(answerOf({ subscription: active }))
  notifySuccess('Assinatura cancelada', { id: 'subscription c1' })
  show(cancelled)
  const button = screen.getByRole('button', { name: 'Reativar' })
  button.focus()
  fireEvent.click(button)
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Reativar' })).toBeNull())
  expect(screen.getByRole('status').textContent).toBe('Assinatura reativada')
  expect(document.activeElement?.textContent).toBe('Essencial')
})

test.each(['INTERNAL_ERROR', 'PAYMENT_REQUIRED'])(
  '%s of a reactivation from another page is told there',
  async (code) => {
    const post = vi.spyOn(api, 'POST').mockResolvedValueOnce({
      data: { success: true, data: { subscription: cancelled } },
      response: new Response(),
    } as never)
    const Page = () => {
      const [isLeft, leave] = useState(false)
      const { toasts } = useToasts()
      return (
        <>
          {!isLeft && <SubscriptionCard subscription={active} canManage onChangePlan={() => leave(true)} />}
          {toasts.map(({ id, text, detail, action }) => (
            <p key={id}>
              {text} {detail} {action && <button onClick={action.onClick}>{action.label}</button>}
            </p>
          ))}
        </>
      )
    }
    renderAt('/', <Page />)
    fireEvent.click(screen.getByRole('button', { name: 'Cancelar Assinatura' }))
    fireEvent.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Cancelar Assinatura' }))
    const again = await screen.findByRole('button', { name: 'Reativar' })
    fireEvent.click(screen.getByRole('button', { name: 'Mudar Plano' }))
    const refusal = new ApiError(code, { status: 409 })
    post.mockRejectedValueOnce(refusal)
    fireEvent.click(again)
    await screen.findByText(new RegExp(refusal.sentence))
  },
)

const changing = {
  ...active,
  pendingChange: { planName: 'Grátis', effectiveDate: '2036-12-21' },
  state: { kind: 'changing', tone: 'info', deadline: '2036-12-21T12:00:00Z' },
} as unknown as Subscription

test('that a change was taken back is said: what told of it has just gone', async () => {
  vi.spyOn(api, 'DELETE').mockResolvedValue(answerOf({ subscription: { ...active, version: 4 } }))
  show(changing)
  const button = screen.getByRole('button', { name: 'Desfazer' })
  act(() => button.focus())
  fireEvent.click(button)
  await screen.findByText('Mudança de plano desfeita')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Essencial' })))
})

test.each<[string, Subscription]>([
  ['Reativar', cancelled],
  ['Desfazer', changing],
])('%s that was pressed too often is not sent again before its time', async (name, held) => {
  const refusal = new ApiError('RATE_LIMITED', { status: 429, retryAfter: 30 })
  const renew = vi.spyOn(api, 'POST').mockRejectedValue(refusal)
  const withdraw = vi.spyOn(api, 'DELETE').mockRejectedValue(refusal)
  show(held)
  fireEvent.click(screen.getByRole('button', { name }))
  await screen.findByText(/^Muitas tentativas\./)
  fireEvent.click(screen.getByRole('button', { name }))
  expect(renew.mock.calls.length + withdraw.mock.calls.length).toBe(1)
})

test('whose plan has become free still pays the own price, and reads when', () => {
  const plan = { ...active.plan, isFree: true }
  const state = {
    kind: 'renews',
    deadline: '2036-12-21T12:00:00Z',
    amount: 49.9,
    card: { brand: 'visa', last4: '4242' },
  }
  show({ ...active, plan, state: state as Subscription['state'] })
  screen.getByText('R$ 49,90 · Mensal')
  screen.getByText('Renova em 21/12/2036 no Visa 4242, R$ 49,90')
  cleanup()
  show({ ...active, price: 0, state: { kind: 'free' } })
  screen.getByText('Grátis para sempre')
})

test('a suspended subscription can be ended, which costs nothing', () => {
  show({ ...active, status: 'suspended', endDate: '2026-11-21T12:00:00Z', nextBillingDate: undefined })
  expect(asked('Encerrar agora')).toBe(
    'A assinatura do plano Essencial é encerrada agora. Não restam dias pagos, e o período vencido não é cobrado. Isto não pode ser desfeito.',
  )
})

const kept = 'Você mantém o acesso até 21/12/2036. Não haverá novas cobranças.'
const open = (payment: object) => ({
  payment: { id: 'pay1', status: 'PENDING', amount: 4990, currency: 'brl', ...payment },
})
test.each<[string, object]>([
  [kept, {}],
  [
    `${kept} A mudança para Grátis deixa de valer.`,
    { pendingChange: { planName: 'Grátis', effectiveDate: '2036-12-21' } },
  ],
  [`${kept} O pagamento em aberto é cancelado.`, open({ paymentMethod: 'PIX' })],
  [
    `${kept} O boleto emitido continua valendo; se for pago, o valor vira crédito da empresa.`,
    open({ paymentMethod: 'BANK_SLIP', bankSlipLine: '001' }),
  ],
])('a cancellation says what it takes away: %s', (sentence, rest) => {
  show({ ...active, ...rest })
  expect(asked('Cancelar Assinatura')).toBe(sentence)
})

const leaving = { ...cancelled, nextBillingDate: undefined, version: 4 }
test.each<[string, Subscription, Subscription]>([
  ['Cancelar Assinatura', active, leaving],
  ['Encerrar agora', leaving, { ...leaving, status: 'expired', endDate: '2026-11-21T12:00:00Z', version: 5 }],
])('the question of %s goes when what it asks about is done, here or elsewhere', async (button, held, done) => {
  const become = show(held)
  asked(button)
  await become(done)
  expect(screen.queryByRole('alertdialog')).toBeNull()
  // Nor does it come back by itself.
  await become({ ...held, version: 6 })
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

test('a question about the subscription ends with the right to manage it', () => {
  function Page() {
    const [may, setMay] = useState(true)
    return (
      <>
        <button onClick={() => setMay(!may)}>Papel</button>
        <SubscriptionCard subscription={active} canManage={may} onChangePlan={() => {}} />
      </>
    )
  }
  renderAt('/', <Page />)
  asked('Cancelar Assinatura')
  fireEvent.click(screen.getByText('Papel'))
  fireEvent.click(screen.getByText('Papel'))
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

test('a state that only a newer server knows says nothing, and the card stays', () => {
  show({ ...active, state: { kind: 'frozen' } } as unknown as Subscription)
  screen.getByRole('heading', { name: 'Essencial' })
})

test('what is urgent is told by the banner of the page alone', () => {
  show({ ...active, state: { kind: 'due', action: 'pay' } } as Subscription)
  expect(screen.getByText(/^Vencida/).closest('[role="status"]')).toBeNull()
  cleanup()
  show({ ...active, state: { kind: 'changing' }, pendingChange: { planName: 'Grátis' } } as unknown as Subscription)
  expect(screen.getByText(/^Muda para/).closest('[role="status"]')).not.toBeNull()
})
