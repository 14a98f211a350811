// @vitest-environment happy-dom
import { useState, type ReactNode } from 'react'
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { emptyCache } from '../../../test/cache'
import { answerReads, order, payment } from '../../../test/checkout'
import { renderWith } from '../../../test/render'
import { api } from '../../api/client'
import { paymentKeys, type Payment } from '../../api/payments'
import { Announcer } from '../../ui/announcer'
import { TooltipProvider } from '../../ui/tooltip'
import { PaymentTable } from './payment-table'
import ResultDialog from './result-dialog'

vi.mock('../../auth/use-session', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ id: 'u1' }),
}))

const metadata = { planId: 'p1', billingCycle: 'monthly', changeType: 'creation' }
const shown = (rest: Partial<Payment>) =>
  payment({ paymentMethod: 'PIX', currency: 'brl', createdAt: '2026-11-21T12:00:00Z', metadata, ...rest } as Payment)

const pix = shown({ pixCode: '000201' })
const expiredPix = shown({ failureCode: 'payment_expired' })
const card = shown({ paymentMethod: 'CREDIT_CARD', payerId: 'u1' })
const refusedCard = shown({ paymentMethod: 'CREDIT_CARD', status: 'FAILED', canRetry: true })

function show(element: ReactNode, known: Payment) {
  answerReads(known)
  const queries = emptyCache()
  queries.setQueryData(paymentKeys.one('c1', 'pay1'), known)
  renderWith(
    queries,
    <>
      <TooltipProvider>
        <RouterProvider router={createMemoryRouter([{ path: '*', element }])} />
      </TooltipProvider>
      <Announcer />
    </>,
  )
  return (now: Payment) => queries.setQueryData(paymentKeys.one('c1', 'pay1'), now)
}

const acts: [string, Payment][] = [
  ['Cancelar pagamento', pix],
  ['Gerar novo código', expiredPix],
  ['Continuar autenticação', card],
  ['Pagar com Cartão de Crédito', pix],
  ['Pagar com PIX', card],
  ['Tentar Novamente', refusedCard],
  ['Pagar com PIX', refusedCard],
]

test.each(acts)('"%s" is there for who may pay for the company', async (name, known) => {
  show(<ResultDialog companyId="c1" paymentId="pay1" order={order} canManage />, known)
  expect(await screen.findByRole('button', { name })).toBeTruthy()
})

test.each(acts)('"%s" is not offered where the company is suspended or closed', async (name, known) => {
  show(<ResultDialog companyId="c1" paymentId="pay1" order={order} canManage={false} />, known)
  // The payment's methods arrive with the providers.
  await screen.findAllByRole('button', { name: 'Fechar' })
  await new Promise((resolve) => setTimeout(resolve))
  expect(screen.queryByRole('button', { name })).toBeNull()
})

test.each([true, false])('the row of an open payment can be cancelled by who may: %s', async (canManage) => {
  show(<PaymentTable payments={[pix]} plans={[]} canManage={canManage} search="" />, pix)
  expect(screen.getByRole('link', { name: /^Ver PIX/ })).toBeTruthy()
  expect(screen.queryByRole('button', { name: /^Cancelar pagamento/ }) !== null).toBe(canManage)
})

test.each<[string, (canManage: boolean) => ReactNode]>([
  ['list', (canManage) => <PaymentTable payments={[pix]} plans={[]} canManage={canManage} search="" />],
  ['dialog', (canManage) => <ResultDialog companyId="c1" paymentId="pay1" order={order} canManage={canManage} />],
])('the question to cancel ends with the right to it: %s', async (_place, draw) => {
  function Page() {
    const [may, setMay] = useState(true)
    return (
      <>
        <button onClick={() => setMay(!may)}>Outro direito</button>
        {draw(may)}
      </>
    )
  }
  show(<Page />, pix)
  fireEvent.click(await screen.findByRole('button', { name: /^Cancelar pagamento/ }))
  await screen.findByRole('alertdialog')
  fireEvent.click(screen.getByText('Outro direito'))
  fireEvent.click(screen.getByText('Outro direito'))
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

test('a PIX without a code leads to the page of the provider that has it', async () => {
  const known = shown({ pixUrl: 'https://pay.example/pix' })
  show(<ResultDialog companyId="c1" paymentId="pay1" order={order} canManage />, known)
  const link = await screen.findByRole('link', { name: /^Abrir código PIX/ })
  expect(link.getAttribute('href')).toBe('https://pay.example/pix')
})

test.each(['PIX', 'BANK_SLIP'] as const)(
  'a %s whose money is under review is not waited for',
  async (paymentMethod) => {
    const known = shown({ paymentMethod, status: 'PROCESSING', failureCode: 'under_review' })
    show(<ResultDialog companyId="c1" paymentId="pay1" order={order} canManage />, known)
    await screen.findByText('O pagamento está em análise. Avisaremos quando houver uma resposta.')
    expect(screen.queryByText('Aguardando pagamento...')).toBeNull()
    expect(screen.queryByRole('region', { name: 'Boleto' })).toBeNull()
    expect(screen.queryByText(/^Você pode fechar esta janela/)).toBeNull()
  },
)

test.each<[string, Partial<Payment>, RegExp]>([
  ['its payer still has something to do', { payerId: 'u1' }, /^O sistema de pagamento ainda não respondeu\. Deixe/],
  ['somebody else is its payer', { payerId: 'u2' }, /^Você pode fechar esta janela/],
  ['the provider has it', { payerId: 'u1', transactionId: 'pi_1' }, /^Você pode fechar esta janela/],
])('a card that is under way says whether the dialog may be closed: %s', async (_, rest, sentence) => {
  const known = shown({ paymentMethod: 'CREDIT_CARD', status: 'PROCESSING', ...rest })
  show(<ResultDialog companyId="c1" paymentId="pay1" order={order} canManage />, known)
  await screen.findByText(sentence)
})

test.each([
  [true, 'Pagamento falhou. Tente novamente.'],
  [false, 'Pagamento falhou.'],
])('a failed payment asks for another try only where there can be one: %s', async (canRetry, title) => {
  show(<ResultDialog companyId="c1" paymentId="pay1" order={order} canManage />, { ...refusedCard, canRetry })
  await screen.findByText(title)
})

test('a card that was refused here is offered another method once', async () => {
  const refusal = { code: 'card_declined', message: 'Your card was declined.' }
  show(<ResultDialog companyId="c1" paymentId="pay1" order={order} refusal={refusal} canManage />, card)
  expect(await screen.findAllByRole('button', { name: /^Pagar com/ })).toHaveLength(1)
})

test('money that bought nothing says what has become of it, and leads to the plans', async () => {
  const credited = shown({ status: 'SUCCESS', credited: true })
  show(<ResultDialog companyId="c1" paymentId="pay1" order={order} canManage />, credited)
  await screen.findByText(/o valor virou crédito da empresa\./)
  expect(screen.getByRole('link', { name: 'Ver Planos' }).getAttribute('href')).toBe('/plans')
  expect(document.querySelector('[data-bipe]')).toBeNull()
})

test('a payment that the bank disputes says so in its row and opened, until the dispute is won', async () => {
  const disputed = shown({ status: 'SUCCESS', disputed: true })
  show(<PaymentTable payments={[disputed]} plans={[]} canManage search="" />, disputed)
  screen.getByText('Contestado')
  cleanup()
  const become = show(<ResultDialog companyId="c1" paymentId="pay1" order={order} canManage />, disputed)
  await screen.findByText('Contestado')
  become(shown({ status: 'SUCCESS', disputed: false, version: 2 }))
  await waitFor(() => expect(screen.queryByText('Contestado')).toBeNull())
})

test('what has become of it is heard once: by the focus, or where the title has it already, by an announcement', async () => {
  // A paid change is asked for once more.
  vi.spyOn(api, 'POST').mockReturnValue(new Promise(() => undefined) as never)
  const become = show(<ResultDialog companyId="c1" paymentId="pay1" order={order} canManage />, pix)
  const title = await screen.findByRole('heading', { name: 'Pagamento Pendente' })
  const said = () =>
    screen
      .getAllByRole('status', { hidden: true })
      .map(({ textContent }) => textContent)
      .join('')
  screen.getByRole('button', { name: 'Cancelar pagamento' }).focus()
  become(shown({ status: 'PROCESSING', version: 2 }))
  await waitFor(() => expect(document.activeElement).toBe(title))
  expect(said()).toBe('')
  become(shown({ status: 'SUCCESS', version: 3 }))
  await waitFor(() => expect(said()).toBe('Pagamento Aprovado!'))
})

test('what came of the card at its bank is read at the provider at once', async () => {
  const answers = [
    { payment: card, client_secret: 'pi_1_secret_2' },
    { payment: { ...card, status: 'SUCCESS', version: 2 } },
  ]
  vi.stubGlobal('fetch', async () => Response.json({ status: 'succeeded' }))
  vi.spyOn(api, 'POST').mockImplementation(((path: string) => {
    const data = path === '/api/payments/authenticate/{id}' ? answers.shift() : { subscription: null }
    return Promise.resolve(answerOf(data))
  }) as never)
  show(<ResultDialog companyId="c1" paymentId="pay1" order={order} canManage />, card)
  const resume = await screen.findByRole('button', { name: 'Continuar autenticação' })
  await waitFor(() => expect(resume.hasAttribute('disabled')).toBe(false))
  fireEvent.click(resume)
  await screen.findByRole('heading', { name: 'Pagamento Aprovado!' })
})
