// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { emptyCache, subscription } from '../../../test/cache'
import { pass } from '../../../test/pass'
import { askingCache, renderWith } from '../../../test/render'
import { api } from '../../api/client'
import { ApiError } from '../../api/errors'
import { paymentKeys, type SavedCard } from '../../api/payments'
import { subscriptionKeys, type Subscription } from '../../api/subscriptions'
import { announce } from '../../ui/announcer'
import { AddCardDialog } from './add-card-dialog'

vi.mock('../../ui/announcer', { spy: true })
vi.mock('../../auth/use-session', () => ({ useUser: () => ({ userName: 'Maria', userEmail: 'maria@exemplo.com.br' }) }))

/** Into a company that holds these, if any. */
async function fillIn(methods: SavedCard[] = [], held: Subscription | null = null) {
  const queries = emptyCache()
  queries.setQueryData(paymentKeys.methods('c1'), methods)
  queries.setQueryData(subscriptionKeys.current('c1'), held)
  queries.setQueryData(paymentKeys.providers, [{ publishableKey: 'pk_test_sandbox', sandbox: true, methods: [] }])
  const onClose = vi.fn<() => void>()
  const makeDefault = vi.fn<(methodId: string) => void>()
  const dialog = <AddCardDialog companyId="c1" makeDefault={makeDefault} onClose={onClose} />
  renderWith(queries, <RouterProvider router={createMemoryRouter([{ path: '*', element: dialog }])} />)
  // Inside of `act` React shows what was loaded at once, and not a third of a second later.
  await act(() => import('./sandbox-card-form'))
  const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
  await screen.findByLabelText('Número do cartão')
  type('Número do cartão', '4242 4242 4242 4242')
  type('Validade', '12/70')
  type('CVC', '123')
  return { onClose, makeDefault, queries }
}

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
const saved = { id: 'pm_1', type: 'CREDIT_CARD', isDefault: true, card: { brand: 'visa', last4: '4242' } }

/** The sandbox makes the card, and the bank asks for its holder. What is sent there is told. */
function askingBank(last: object) {
  const sent: string[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    const { pathname } = new URL(request.url)
    sent.push(`${request.method} ${pathname}`)
    if (pathname.endsWith('/payment_methods')) return Response.json({ id: 'pm_1' })
    const isAnswered = sent.some((call) => call.endsWith('/authenticate'))
    return Response.json(isAnswered ? last : { status: 'requires_action' })
  })
  vi.spyOn(api, 'POST').mockResolvedValue(answerOf({ methods: [], setup: { clientSecret: 'seti_1_secret_2' } }))
  return sent
}

test('the fields of a card must be filled in, and the empty one shows a number that the sandbox takes', async () => {
  await fillIn()
  for (const label of ['Número do cartão', 'Validade', 'CVC'])
    expect(screen.getByLabelText(label).getAttribute('aria-required'), label).toBe('true')
  expect(screen.getByLabelText('Número do cartão').getAttribute('placeholder')).toBe('4242 4242 4242 4242')
})

test('Enter in a field saves the card once it is complete', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ id: 'pm_1' }))
  const post = vi.spyOn(api, 'POST').mockRejectedValue(new ApiError('CARD_LIMIT_REACHED', { status: 409 }))
  await fillIn()
  const form = screen.getByLabelText('Número do cartão').closest('form')
  const cvc = screen.getByLabelText('CVC')
  fireEvent.change(cvc, { target: { value: '' } })
  form?.requestSubmit()
  expect(screen.getByRole('button', { name: 'Salvar cartão' })).toBeTruthy()
  fireEvent.change(cvc, { target: { value: '123' } })
  act(() => cvc.focus())
  form?.requestSubmit()
  await waitFor(() => expect(post).toHaveBeenCalledOnce())
  // The field is disabled meanwhile.
  expect(document.activeElement).toBe(screen.getByRole('button', { name: /^Salva/ }))
})

test('a card that was sent too often is held back while the seconds are counted down', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ id: 'pm_1' }))
  const post = vi.spyOn(api, 'POST').mockRejectedValue(new ApiError('RATE_LIMITED', { status: 429, retryAfter: 30 }))
  await fillIn()
  vi.useFakeTimers()
  press('Salvar cartão')
  await pass(0)
  screen.getByText('Muitas tentativas. Tente novamente em 30 s.')
  await pass(29_000)
  screen.getByText('Muitas tentativas. Tente novamente em 1 s.')
  press('Salvar cartão')
  await pass(0)
  expect(post).toHaveBeenCalledOnce()
})

test('a newer text of the consent is read, and the sentence says why to confirm again', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ id: 'pm_1' }))
  const refusal = new ApiError('VALIDATION_ERROR', { status: 422, fields: { renewalConsent: 'INVALID' } })
  vi.spyOn(api, 'POST').mockRejectedValue(refusal)
  const renewalConsent = { version: '2026-12', sentence: 'O texto novo.' }
  const data = { providers: [{ publishableKey: 'pk_test_sandbox', sandbox: true, methods: [], renewalConsent }] }
  const read = vi.spyOn(api, 'GET').mockResolvedValue(answerOf(data))
  await fillIn()
  fireEvent.click(screen.getByRole('button', { name: 'Salvar cartão' }))
  await screen.findByText('O texto da autorização mudou. Leia o novo texto e confirme novamente.')
  await screen.findByText('O texto novo.')
  expect(read).toHaveBeenCalledOnce()
})

test('a card whose bank asks is saved when its holder confirms, and then the dialog closes', async () => {
  const sent = askingBank({ status: 'succeeded' })
  vi.spyOn(api, 'GET').mockResolvedValue(answerOf({ methods: [saved] }))
  const { onClose, queries } = await fillIn()
  press('Salvar cartão')
  await screen.findByRole('button', { name: 'Confirmar no banco' })
  expect(screen.getByText('Aguardando autenticação do banco...')).toBeTruthy()
  expect(onClose).not.toHaveBeenCalled()
  press('Confirmar no banco')
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  expect(queries.getQueryData(paymentKeys.methods('c1'))).toEqual([saved])
  expect(sent.slice(1)).toEqual([
    'GET /sandbox/v1/setup_intents/seti_1',
    'POST /sandbox/v1/test/setup_intents/seti_1/authenticate',
    'GET /sandbox/v1/setup_intents/seti_1',
  ])
})

test('what the bank refuses is said, and another card may be tried', async () => {
  const error = { code: 'setup_intent_authentication_failure' }
  const sent = askingBank({ status: 'requires_payment_method', last_setup_error: error })
  const { onClose } = await fillIn()
  press('Salvar cartão')
  await screen.findByRole('button', { name: 'Recusar no banco' })
  press('Recusar no banco')
  await screen.findByText('O banco não confirmou a autenticação.')
  expect(onClose).not.toHaveBeenCalled()
  press('Salvar cartão')
  await waitFor(() => expect(sent.filter((call) => call.endsWith('/payment_methods'))).toHaveLength(2))
})

test('a card that is not taken is said to be the trouble, and not the method', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ id: 'pm_1' }))
  vi.spyOn(api, 'POST').mockRejectedValue(new ApiError('PAYMENT_METHOD_UNAVAILABLE', { status: 409 }))
  await fillIn()
  press('Salvar cartão')
  await screen.findByText('O cartão não foi aceito. Confira os dados, tente outro cartão ou tente mais tarde.')
  expect(screen.queryByText(/Forma de pagamento/)).toBeNull()
})

test('a card whose saving was not answered is asked about and not made again, unless its fields change', async () => {
  let made = 0
  vi.stubGlobal('fetch', async () => Response.json({ id: `pm_${++made}` }))
  const post = vi.spyOn(api, 'POST').mockRejectedValue(new ApiError('PROVIDER_UNAVAILABLE', { status: 503 }))
  await fillIn()
  for (const tries of [1, 2]) {
    press('Salvar cartão')
    await waitFor(() => expect(post).toHaveBeenCalledTimes(tries))
    await screen.findByRole('button', { name: 'Salvar cartão' })
  }
  fireEvent.change(screen.getByLabelText('CVC'), { target: { value: '321' } })
  press('Salvar cartão')
  await waitFor(() => expect(post).toHaveBeenCalledTimes(3))
  const sent = post.mock.calls as unknown as [string, { body: { paymentMethodId: string } }][]
  expect(sent.map(([, { body }]) => body.paymentMethodId)).toEqual(['pm_1', 'pm_1', 'pm_2'])
})

const visa = { id: 'pm_0', isDefault: true, card: { brand: 'visa', last4: '1111' } } as SavedCard
const overdue = subscription(1, { state: { kind: 'due', amount: 99.9 } as Subscription['state'] })
const running = subscription(1, { state: { kind: 'renews', amount: 99.9 } as Subscription['state'] })

test.each<[string, Subscription, string]>([
  ['while the renewal is unpaid', overdue, 'A renovação vencida, de R$ 99,90, pode ser cobrada nele agora.'],
  ['where it is asked to', running, 'As próximas cobranças continuam no Visa final 1111.'],
])('a second card takes the place of the default one %s', async (_, held, sentence) => {
  vi.stubGlobal('fetch', async () => Response.json({ id: 'pm_1' }))
  const methods = [visa, { ...visa, id: 'pm_1', isDefault: false }]
  vi.spyOn(api, 'POST').mockResolvedValue(answerOf({ methods }))
  const { onClose, makeDefault } = await fillIn([visa], held)
  screen.getByText(sentence)
  const choice = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Usar nas próximas cobranças' })
  if (!choice.checked) fireEvent.click(choice)
  press('Salvar cartão')
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  expect(makeDefault).toHaveBeenCalledExactlyOnceWith('pm_1')
})

test('a second card leaves the default one in its place unless it is asked for', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ id: 'pm_1' }))
  vi.spyOn(api, 'POST').mockResolvedValue(answerOf({ methods: [visa, { ...visa, id: 'pm_1', isDefault: false }] }))
  const { onClose, makeDefault } = await fillIn([visa], running)
  press('Salvar cartão')
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  expect(makeDefault).not.toHaveBeenCalled()
})

test('a second card takes the place of a default one that was refused', async () => {
  await fillIn([{ ...visa, isDeclined: true }], running)
  expect(screen.getByRole<HTMLInputElement>('checkbox').checked).toBe(true)
  screen.getByText('No lugar do Visa final 1111.')
})

test('Enter on the choice, by which an overdue renewal is charged, saves nothing', async () => {
  await fillIn([visa], overdue)
  // The browser sends the form unless the key is held.
  expect(fireEvent.keyDown(screen.getByRole('checkbox'), { key: 'Enter' })).toBe(false)
  expect(fireEvent.keyDown(screen.getByLabelText('CVC'), { key: 'Enter' })).toBe(true)
})

test('the first card is not asked about, but said to pay an overdue renewal at once', async () => {
  await fillIn([], overdue)
  expect(screen.queryByRole('checkbox')).toBeNull()
  screen.getByText('A renovação vencida, de R$ 99,90, pode ser cobrada nele agora.')
  cleanup()
  await fillIn([], running)
  expect(screen.queryByText(/A renovação vencida/)).toBeNull()
})

test('a card that was saved while the cards were being read is among them', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ id: 'pm_1' }))
  vi.spyOn(api, 'POST').mockResolvedValue(answerOf({ methods: [saved] }))
  let arrive = (): void => undefined
  const before = new Promise<void>((resolve) => (arrive = resolve)).then(() => answerOf({ methods: [] }))
  const get = vi
    .spyOn(api, 'GET')
    .mockReturnValueOnce(before as never)
    .mockResolvedValue(answerOf({ methods: [saved] }))
  const { onClose, queries } = await fillIn()
  void queries.refetchQueries({ queryKey: paymentKeys.methods('c1') })
  await waitFor(() => expect(get).toHaveBeenCalledOnce())
  press('Salvar cartão')
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  arrive()
  await waitFor(() => expect(queries.isFetching()).toBe(0))
  expect(queries.getQueryData(paymentKeys.methods('c1'))).toEqual([saved])
})

test('that no card can be added now is heard', async () => {
  vi.spyOn(api, 'GET').mockRejectedValue(new ApiError('INTERNAL_ERROR', { status: 500 }))
  const element = <AddCardDialog companyId="c1" makeDefault={() => undefined} onClose={() => undefined} />
  renderWith(askingCache(), <RouterProvider router={createMemoryRouter([{ path: '*', element }])} />)
  await waitFor(() => expect(announce).toHaveBeenCalledWith('Sistema de pagamento indisponível'))
})
