// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { emptyCache } from '../../../test/cache'
import { api } from '../../api/client'
import { ApiError } from '../../api/errors'
import { paymentKeys, type SavedMethod } from '../../api/payments'
import { PaymentMethods } from './payment-methods'

vi.mock('./add-card-dialog', () => ({ AddCardDialog: () => null }))

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

const cards = ['1111', '2222', '3333']
let held: string
const methods = () =>
  cards.map((last4) => ({
    id: last4,
    isDefault: last4 === held,
    card: { brand: 'visa', last4, expMonth: 1, expYear: 2030 },
  })) as unknown as SavedMethod[]
const answer = () => ({ data: { success: true, data: { methods: methods() } }, response: new Response() })

const isDefault = () => screen.getByText('Padrão').closest('li')?.textContent.match(/\d{4}/)?.[0]
const choose = (last4: string) =>
  fireEvent.click(screen.getByRole('button', { name: `Tornar padrão: Visa final ${last4}` }))

test('the card that pays by itself is the one that the server holds, however choices cross', async () => {
  held = '1111'
  const calls: { id: string; settle: (refused: boolean) => void }[] = []
  vi.spyOn(api, 'GET').mockImplementation((() => Promise.resolve(answer())) as never)
  const change = ((_path: string, init: { params: { path: { methodId: string } } }) =>
    new Promise((resolve, reject) => {
      const id = init.params.path.methodId
      const settle = (refused: boolean) => {
        if (refused) return reject(new ApiError('INTERNAL_ERROR', { status: 500 }))
        held = id
        resolve(answer())
      }
      calls.push({ id, settle })
    })) as never
  vi.spyOn(api, 'PUT').mockImplementation(change)
  const queries = emptyCache()
  queries.setQueryData(paymentKeys.methods('c1'), methods())
  render(
    <QueryClientProvider client={queries}>
      <PaymentMethods companyId="c1" />
    </QueryClientProvider>,
  )

  await act(async () => choose('2222'))
  await act(async () => choose('3333'))
  expect(isDefault()).toBe('3333')
  expect(calls.map(({ id }) => id)).toEqual(['2222'])
  await act(async () => calls[0]?.settle(true))
  await act(async () => calls[1]?.settle(true))
  await vi.waitFor(() => expect(isDefault()).toBe('1111'))
})
