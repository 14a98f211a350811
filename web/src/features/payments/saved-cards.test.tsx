// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { emptyCache, subscription } from '../../../test/cache'
import { renderWith } from '../../../test/render'
import { api } from '../../api/client'
import { ApiError } from '../../api/errors'
import { paymentKeys, type SavedCard } from '../../api/payments'
import { subscriptionKeys, type Subscription } from '../../api/subscriptions'
import { SavedCards } from './saved-cards'

vi.mock('./add-card-dialog', () => ({ AddCardDialog: () => null }))

beforeEach(() => {
  cards = ['1111', '2222', '3333']
  held = '1111'
  expired = ''
  declined = ''
})

let cards: string[]
let held: string
let expired: string
let declined: string
const methods = () =>
  cards.map((last4) => ({
    id: last4,
    isDefault: last4 === held,
    isDeclined: last4 === declined,
    card: { brand: 'visa', last4, expMonth: 1, expYear: last4 === expired ? 2020 : 2090 },
  })) as unknown as SavedCard[]
const answer = () => answerOf({ methods: methods() })

const isDefault = () => screen.getByText('Padrão').closest('li')?.textContent.match(/\d{4}/)?.[0]
const choose = (last4: string) =>
  fireEvent.click(screen.getByRole('button', { name: `Tornar padrão: Visa final ${last4}` }))

function show(kind: 'renews' | 'due' = 'renews') {
  const queries = emptyCache()
  queries.setQueryData(paymentKeys.methods('c1'), methods())
  const state = { kind, amount: 99.9 } as Subscription['state']
  queries.setQueryData(subscriptionKeys.current('c1'), subscription(1, { state }))
  renderWith(queries, <SavedCards companyId="c1" />)
}

test('the card that pays by itself is the one that the server holds, however choices cross', async () => {
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
  show()

  await act(async () => choose('2222'))
  await act(async () => choose('3333'))
  expect(isDefault()).toBe('3333')
  expect(calls.map(({ id }) => id)).toEqual(['2222'])
  await act(async () => calls[0]?.settle(true))
  await act(async () => calls[1]?.settle(true))
  await vi.waitFor(() => expect(isDefault()).toBe('1111'))

  await act(async () => choose('2222'))
  await act(async () => choose('3333'))
  await act(async () => {
    calls[2]?.settle(false)
    await new Promise((resolve) => setTimeout(resolve))
  })
  expect([held, isDefault()]).toEqual(['2222', '3333'])
  await act(async () => calls[3]?.settle(false))
  await vi.waitFor(() => expect([held, isDefault()]).toEqual(['3333', '3333']))
})

test('a card that has expired is marked, the default one too', () => {
  expired = held
  show()
  expect(screen.getAllByText('Vencido').map((mark) => mark.closest('li')?.textContent)).toEqual([
    expect.stringContaining('Visa final 1111'),
  ])
  expect(isDefault()).toBe('1111')
})

test('a card that was refused is marked, and one that has expired too is marked as expired', () => {
  declined = held
  show()
  expect(screen.getByText('Recusado').closest('li')?.textContent).toContain('Visa final 1111')
  cleanup()
  expired = held
  show()
  screen.getByText('Vencido')
  expect(screen.queryByText('Recusado')).toBeNull()
})

const CHARGED = 'A renovação vencida, de R$ 99,90, pode ser cobrada nele agora.'
const MOVED = 'As próximas cobranças passam para o Visa final 2222.'
const NO_MORE = 'Visa final 1111 deixa de ser usado nas próximas cobranças.'

test.each<[string, string[], 'renews' | 'due']>([
  [`${NO_MORE} ${MOVED}`, ['1111', '2222', '3333'], 'renews'],
  [`${NO_MORE} ${MOVED} ${CHARGED}`, ['1111', '2222'], 'due'],
  [`${NO_MORE} Sem cartão salvo, não há cobrança automática.`, ['1111'], 'due'],
])('who removes the default card reads which one pays from now on: %s', (sentence, saved, kind) => {
  cards = saved
  show(kind)
  fireEvent.click(screen.getByRole('button', { name: 'Remover Visa final 1111' }))
  screen.getByText(sentence)
})

test('a card that was not refused takes the place of a removed one before a newer one that was', () => {
  declined = '2222'
  show('renews')
  fireEvent.click(screen.getByRole('button', { name: 'Remover Visa final 1111' }))
  screen.getByText(`${NO_MORE} As próximas cobranças passam para o Visa final 3333.`)
})

test('a refused card that takes the place of a removed one is not said to pay', () => {
  cards = ['1111', '2222']
  declined = '2222'
  show('due')
  fireEvent.click(screen.getByRole('button', { name: 'Remover Visa final 1111' }))
  screen.getByText(`${NO_MORE} O Visa final 2222 foi recusado e não paga as próximas cobranças.`)
})

test('a card that would be charged at once becomes the default only when that is confirmed', async () => {
  const put = vi.spyOn(api, 'PUT').mockReturnValue(new Promise(() => {}) as never)
  show('due')
  choose('2222')
  screen.getByText(`${MOVED} ${CHARGED}`)
  expect(put).not.toHaveBeenCalled()
  fireEvent.click(screen.getByRole('button', { name: 'Tornar padrão' }))
  await vi.waitFor(() => expect(put).toHaveBeenCalledOnce())
  expect(isDefault()).toBe('2222')
})

test('a card that somebody else has removed goes from the list when its removal is refused', async () => {
  vi.spyOn(api, 'DELETE').mockRejectedValue(new ApiError('NOT_FOUND', { status: 404 }))
  vi.spyOn(api, 'GET').mockImplementation((() => Promise.resolve(answer())) as never)
  show()
  cards = ['1111', '3333']
  fireEvent.click(screen.getByRole('button', { name: 'Remover Visa final 2222' }))
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Remover' })))
  await screen.findByText('Registro não encontrado')
  fireEvent.click(screen.getByRole('button', { name: 'Manter cartão' }))
  await vi.waitFor(() => expect(screen.queryByText('Visa final 2222')).toBeNull())
})
