// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { focusManager, QueryClient } from '@tanstack/react-query'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { beforeEach, expect, test, vi } from 'vitest'
import { subscription } from '../../../test/cache'
import { answerReads, order } from '../../../test/checkout'
import { pass } from '../../../test/pass'
import { askingCache, renderWith } from '../../../test/render'
import { billingProfileQuery } from '../../api/billing-profile'
import { api } from '../../api/client'
import { ApiError } from '../../api/errors'
import { subscriptionKeys, type Subscription } from '../../api/subscriptions'
import { openCheckout, usePaymentDialog } from '../../live/payment-dialog'
import { announce } from '../../ui/announcer'
import CheckoutDialog from './checkout-dialog'

vi.mock('../../auth/use-session', () => ({
  useUser: () => ({ id: 'u1', userName: 'Maria', userEmail: 'maria@exemplo.com.br', userRole: 'user' }),
}))
vi.mock('../../ui/announcer', { spy: true })
vi.mock('../../auth/company', () => ({ useCompany: () => ({ company: { id: 'c1', companyName: 'Ponto Central' } }) }))

beforeEach(() => answerReads())

let router: ReturnType<typeof createMemoryRouter>
const go = (path: string) => act(() => router.navigate(path))
const isShown = () => screen.queryByLabelText('CPF ou CNPJ') !== null

function Host() {
  const dialog = usePaymentDialog()
  if (dialog.kind !== 'checkout') return null
  return <CheckoutDialog order={order} method="PIX" replace={false} unquoted={dialog.unquoted} />
}

let queries: QueryClient

function show(options?: Parameters<typeof openCheckout>[1]) {
  openCheckout(order, options)
  queries = askingCache()
  router = createMemoryRouter([{ path: '*', element: <Host /> }], { initialEntries: ['/payments/p1'] })
  renderWith(queries, <RouterProvider router={router} />)
  return screen.findByLabelText('CPF ou CNPJ')
}

test('a second Enter does not press "Fechar" while it loads: the title has the focus', async () => {
  const field = show()
  expect(document.activeElement?.tagName).toBe('H2')
  await field
})

test('what was typed is not thrown away without a question', async () => {
  const field = await show()
  fireEvent.change(field, { target: { value: '111.444.777-35' } })
  fireEvent.click(screen.getByRole('button', { name: 'Cancelar' }))
  screen.getByText('As alterações não salvas serão perdidas.')
  fireEvent.click(screen.getByRole('button', { name: 'Sair sem salvar' }))
  expect(screen.queryByLabelText('CPF ou CNPJ')).toBeNull()
})

test('where nothing was typed it closes at once', async () => {
  await show()
  fireEvent.click(screen.getByRole('button', { name: 'Cancelar' }))
  expect(screen.queryByLabelText('CPF ou CNPJ')).toBeNull()
})

test('that the price is without a preview is said where it is paid, and heard', async () => {
  const title = 'Erro ao calcular preview da mudança'
  await show({ unquoted: { title, error: new ApiError('INTERNAL_ERROR', { status: 500 }) } })
  expect(screen.getByRole('dialog').textContent).toContain(title)
  expect(announce).toHaveBeenCalledWith(`${title}. Erro interno do servidor. Tente novamente`)
})

test('that there was no preview does not come back with the next try: the price is the one of the answer', async () => {
  const title = 'Erro ao calcular preview da mudança'
  const field = await show({ unquoted: { title, error: new ApiError('INTERNAL_ERROR', { status: 500 }) } })
  fireEvent.change(field, { target: { value: '111.444.777-35' } })
  const refusal = new ApiError('AMOUNT_MISMATCH', { status: 422, fields: { expected: 4321 } })
  vi.spyOn(api, 'POST')
    .mockRejectedValueOnce(refusal)
    .mockReturnValue(new Promise(() => {}) as never)
  fireEvent.click(screen.getByRole('button', { name: /^Pagar/ }))
  fireEvent.click(await screen.findByRole('button', { name: /^Pagar R\$\s43,21/ }))
  await screen.findByRole('button', { name: 'Processando...' })
  expect(screen.getByRole('dialog').textContent).not.toContain(title)
})

test('the address that the receipt goes to is shown whole', async () => {
  await show()
  expect(screen.getByText('maria@exemplo.com.br').className).toContain('wrap-anywhere')
})

test('Enter sends the form from a field, and not from a choice', async () => {
  const field = await show()
  // The browser sends the form unless the key is held.
  const isHeld = (element: HTMLElement) => !fireEvent.keyDown(element, { key: 'Enter' })
  expect(isHeld(screen.getByRole('radio', { name: /PIX/ }))).toBe(true)
  expect(isHeld(field)).toBe(false)
})

test('Enter in a field leads to the button: the field is disabled while it is paid, and may be wrong afterwards', async () => {
  const field = await show()
  fireEvent.change(field, { target: { value: '111.444.777-35' } })
  let reject: ((refusal: ApiError) => void) | undefined
  const paying = new Promise<never>((_, rejectIt) => {
    reject = rejectIt
  })
  vi.spyOn(api, 'POST').mockReturnValue(paying)
  act(() => field.focus())
  fireEvent.submit(field)
  expect(document.activeElement).toBe(await screen.findByRole('button', { name: 'Processando...' }))
  await act(async () => reject?.(new ApiError('PLAN_NOT_AVAILABLE', { status: 409 })))
  await screen.findByRole('alert')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: /^Pagar/ }))
})

test('it does not stand over another page', async () => {
  await show()
  await go('/payments?page=2')
  expect(isShown()).toBe(true)
  await go('/plans')
  expect(isShown()).toBe(false)
})

test('whoever leaves is asked what becomes of what was typed', async () => {
  const field = await show()
  fireEvent.change(field, { target: { value: '111.444.777-35' } })
  await go('/plans')
  screen.getByText('As alterações desta página serão perdidas.')
  expect(isShown()).toBe(true)
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Sair sem salvar' })))
  expect(isShown()).toBe(false)
})

test('what is being paid is not given up', async () => {
  const field = await show()
  fireEvent.change(field, { target: { value: '111.444.777-35' } })
  vi.spyOn(api, 'POST').mockReturnValue(new Promise(() => {}) as never)
  fireEvent.click(screen.getByRole('button', { name: /^Pagar/ }))
  await go('/plans')
  expect(isShown()).toBe(true)
})

test('why a payment was refused comes into sight, for its button may be far below', async () => {
  const broughtIntoSight = vi.spyOn(Element.prototype, 'scrollIntoView')
  const field = await show()
  fireEvent.change(field, { target: { value: '111.444.777-35' } })
  vi.spyOn(api, 'POST').mockRejectedValue(new ApiError('PLAN_NOT_AVAILABLE', { status: 409 }))
  fireEvent.click(screen.getByRole('button', { name: /^Pagar/ }))
  const refusal = await screen.findByRole('alert')
  await waitFor(() => expect(broughtIntoSight.mock.contexts).toContain(refusal.parentElement))
})

test('a payment that came too often is held back while the seconds are counted down', async () => {
  const field = await show()
  fireEvent.change(field, { target: { value: '111.444.777-35' } })
  const post = vi.spyOn(api, 'POST').mockRejectedValue(new ApiError('RATE_LIMITED', { status: 429, retryAfter: 3 }))
  const pay = screen.getByRole('button', { name: /^Pagar/ })
  vi.useFakeTimers()
  fireEvent.click(pay)
  await pass(0)
  screen.getByText('Muitas tentativas. Tente novamente em 3 s.')
  fireEvent.click(pay)
  fireEvent.submit(field)
  await pass(1_000)
  screen.getByText('Muitas tentativas. Tente novamente em 2 s.')
  expect(post).toHaveBeenCalledOnce()
  await pass(2_000)
  expect(screen.queryByText(/Muitas tentativas/)).toBeNull()
  fireEvent.click(pay)
  await pass(0)
  expect(post).toHaveBeenCalledTimes(2)
})

test('saved cards that could not be read are not said to be none', async () => {
  const answer = vi.mocked(api.GET).getMockImplementation() as (path: string) => Promise<unknown>
  vi.mocked(api.GET).mockImplementation(((path: string) =>
    path.includes('/methods/') ? Promise.reject(new ApiError('INTERNAL_ERROR')) : answer(path)) as never)
  await show()
  expect(screen.queryByText(/Sem cartão salvo/)).toBeNull()
  screen.getByText('Renova ao fim do período.')
})

test.each(['/methods/', '/billing-profile'])(
  'what was typed stays while %s, which could not be read, is read again',
  async (unread) => {
    const answer = vi.mocked(api.GET).getMockImplementation() as (path: string) => Promise<unknown>
    const refused = [Promise.reject(new ApiError('INTERNAL_ERROR'))]
    refused[0]?.catch(() => undefined)
    vi.mocked(api.GET).mockImplementation(((path: string) =>
      path.includes(unread) ? (refused.pop() ?? new Promise(() => undefined)) : answer(path)) as never)
    const field = await show()
    fireEvent.change(field, { target: { value: '111.444.777-35' } })
    await act(async () => {
      focusManager.setFocused(false)
      focusManager.setFocused(true)
      // The cache tells of it a moment later.
      await new Promise((resolve) => setTimeout(resolve))
    })
    focusManager.setFocused(undefined)
    expect(screen.getByLabelText<HTMLInputElement>('CPF ou CNPJ').value).toBe('111.444.777-35')
  },
)

test('a billing profile that is read later makes nothing typed of what the fields began with', async () => {
  const answer = vi.mocked(api.GET).getMockImplementation() as (path: string) => Promise<unknown>
  const address = { street: 'Rua A', number: '1', city: 'Recife', state: 'PE', postalCode: '50000000' }
  const profile = { data: { success: true, data: { billingProfile: { taxId: '11144477735', address } } } }
  let reads = 0
  vi.mocked(api.GET).mockImplementation(((path: string) => {
    if (!path.includes('/billing-profile')) return answer(path)
    reads += 1
    if (reads === 1) return Promise.reject(new ApiError('INTERNAL_ERROR'))
    return Promise.resolve({ ...profile, response: new Response() })
  }) as never)
  await show()
  await act(async () => {
    await queries.refetchQueries({ queryKey: billingProfileQuery(order.companyId).queryKey })
    // The cache tells of it a moment later.
    await new Promise((resolve) => setTimeout(resolve))
  })
  expect(reads).toBe(2)
  fireEvent.click(screen.getByRole('button', { name: 'Cancelar' }))
  expect(isShown()).toBe(false)
})

const become = (now: Subscription | null) =>
  act(async () => {
    queries.setQueryData(subscriptionKeys.current(order.companyId), now)
    // The cache tells of it a moment later.
    await new Promise((resolve) => setTimeout(resolve))
  })
const bought = subscription(2, { status: 'active', planId: 'p1', nextBillingDate: '2036-12-21T12:00:00Z' })

test('what a colleague has bought meanwhile is not offered again under the old dates', async () => {
  const field = await show()
  fireEvent.change(field, { target: { value: '111.444.777-35' } })
  await become(subscription(1, { status: 'pending', planId: 'p1' }))
  expect(isShown()).toBe(true)
  await become(bought)
  screen.getByText(/^Ela mudou enquanto esta janela estava aberta\./)
  expect(isShown()).toBe(false)
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Ver Planos' })))
  expect(router.state.location.pathname).toBe('/plans')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

test('what this checkout itself is buying does not take it away', async () => {
  const field = await show()
  fireEvent.change(field, { target: { value: '111.444.777-35' } })
  vi.spyOn(api, 'POST').mockReturnValue(new Promise(() => {}) as never)
  fireEvent.click(screen.getByRole('button', { name: /^Pagar/ }))
  await become(bought)
  expect(isShown()).toBe(true)
})

test('that nothing can be paid now is heard, too, also after another try', async () => {
  vi.spyOn(api, 'GET').mockRejectedValue(new ApiError('INTERNAL_ERROR', { status: 500 }))
  openCheckout(order)
  router = createMemoryRouter([{ path: '*', element: <Host /> }])
  renderWith(askingCache(), <RouterProvider router={router} />)
  const told = () => vi.mocked(announce).mock.calls.filter(([said]) => said === 'Sistema de pagamento indisponível')
  await waitFor(() => expect(told()).toHaveLength(1))
  fireEvent.click(await screen.findByRole('button', { name: 'Tentar Novamente' }))
  await waitFor(() => expect(told()).toHaveLength(2))
})
