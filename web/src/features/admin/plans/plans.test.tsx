// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { answerOf } from '../../../../test/answer'
import { renderAt } from '../../../../test/render'
import { api } from '../../../api/client'
import { WITHOUT_FREE_PLAN } from '../labels'
import { AdminPlansPage } from './plans'

const plan = (activeSubscriptions: number, isFree: boolean) => ({
  id: 'p1',
  name: 'essencial',
  displayName: 'Essencial',
  status: 'active',
  hierarchy: 1,
  features: [],
  monthlyPrice: 49.9,
  quarterlyPrice: 127.25,
  yearlyPrice: 449.1,
  activeSubscriptions,
  isFree,
})

test.each([
  [1, false, '1 assinatura continua e é renovada normalmente. O plano deixa de ser vendido.'],
  [3, false, '3 assinaturas continuam e são renovadas normalmente. O plano deixa de ser vendido.'],
  [3, true, `3 assinaturas continuam. O plano deixa de ser vendido. ${WITHOUT_FREE_PLAN}`],
  [0, true, `O plano deixa de ser vendido. ${WITHOUT_FREE_PLAN}`],
])('taking a plan with %d subscriptions off sale (free: %s) says what follows', async (count, isFree, sentence) => {
  const data = { plans: [plan(count, isFree)], page: 1, total: 1, counts: { active: 1, total: 1 } }
  vi.spyOn(api, 'GET').mockResolvedValue(answerOf(data))
  renderAt('/', <AdminPlansPage />)
  fireEvent.click(await screen.findByRole('button', { name: 'Desativar Essencial' }))
  expect(screen.getByText(sentence)).toBeTruthy()
})

test('a plan that leaves the list with the focus leaves it to the page', async () => {
  let plans = [plan(0, false)]
  vi.spyOn(api, 'GET').mockImplementation(() =>
    Promise.resolve(answerOf({ plans, page: 1, total: plans.length, counts: { active: plans.length, total: 1 } })),
  )
  vi.spyOn(api, 'PUT').mockImplementation(() => {
    plans = []
    return Promise.resolve(answerOf({ plan: { ...plan(0, false), status: 'inactive' } }))
  })
  renderAt('/', <AdminPlansPage />)
  const off = await screen.findByRole('button', { name: 'Desativar Essencial' })
  off.focus()
  fireEvent.click(off)
  await waitFor(() => expect(off.isConnected).toBe(false))
  expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }))
})

test('a plan that another one moved to the next page is shown once', async () => {
  const all = Array.from({ length: 10 }, (_, at) => ({ ...plan(0, false), id: `p${at}`, displayName: `Plano ${at}` }))
  const get = vi.spyOn(api, 'GET')
  const answer = (plans: object[], page: number) => {
    const data = { plans, page, total: 11, counts: { active: 11, total: 11 } }
    get.mockResolvedValueOnce({ data: { success: true, data }, response: new Response() } as never)
  }
  answer(all, 1)
  renderAt('/', <AdminPlansPage />)
  answer(all.slice(9), 2)
  fireEvent.click(await screen.findByRole('button', { name: 'Carregar mais' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Carregar mais' })).toBeNull())
  expect(screen.getAllByRole('heading', { name: 'Plano 9' })).toHaveLength(1)
})
