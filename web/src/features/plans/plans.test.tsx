// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import type { QueryClient } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { answerOf } from '../../../test/answer'
import { emptyCache } from '../../../test/cache'
import { pass } from '../../../test/pass'
import { renderAt } from '../../../test/render'
import { api } from '../../api/client'
import { companyKeys } from '../../api/companies'
import { ApiError } from '../../api/errors'
import { plansQuery, type Plan } from '../../api/plans'
import { subscriptionKeys } from '../../api/subscriptions'
import { CompanyProvider } from '../../auth/company'
import { PlansPage } from './plans'

vi.mock('../../auth/use-session', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ id: 'u1', userName: 'Maria', userEmail: 'maria@exemplo.com.br', userRole: 'user' }),
}))

const plan = {
  id: 'p1',
  displayName: 'Essencial',
  monthlyPrice: 49.9,
  quarterlyPrice: 129.9,
  yearlyPrice: 449.9,
  features: [],
  limits: { maxUsers: 5, maxBeeping: 500 },
} as unknown as Plan

const company = { id: 'c1', companyName: 'Ponto Central', userRole: 'admin', status: 'active' }

/** Whoever manages a company, on the page of the plans. */
function show(queries: QueryClient) {
  queries.setQueryData(companyKeys.list, [company])
  queries.setQueryData(plansQuery().queryKey, [plan])
  renderAt(
    '/',
    <CompanyProvider onLost={() => undefined}>
      <PlansPage methods={() => null} />
    </CompanyProvider>,
    queries,
  )
}

test('a choice that came too often is held back while the seconds are counted down', async () => {
  const queries = emptyCache()
  queries.setQueryData(subscriptionKeys.current('c1'), null)
  show(queries)
  const post = vi.spyOn(api, 'POST').mockRejectedValue(new ApiError('RATE_LIMITED', { status: 429, retryAfter: 3 }))
  const choose = await screen.findByRole<HTMLButtonElement>('button', { name: 'Assinar: Essencial' })
  vi.useFakeTimers()
  fireEvent.click(choose)
  await pass(0)
  screen.getByText('Muitas tentativas. Tente novamente em 3 s.')
  fireEvent.click(choose)
  await pass(1_000)
  screen.getByText('Muitas tentativas. Tente novamente em 2 s.')
  expect(post).toHaveBeenCalledOnce()
  await pass(2_000)
  expect(screen.queryByText(/Muitas tentativas/)).toBeNull()
  fireEvent.click(choose)
  await pass(0)
  expect(post).toHaveBeenCalledTimes(2)
})

test('a refusal comes into sight of whoever pressed a plan far below it', async () => {
  const broughtIntoSight = vi.spyOn(Element.prototype, 'scrollIntoView')
  const queries = emptyCache()
  queries.setQueryData(subscriptionKeys.current('c1'), null)
  show(queries)
  vi.spyOn(api, 'POST').mockRejectedValue(new ApiError('CHANGE_NOT_ALLOWED', { status: 409 }))
  fireEvent.click(await screen.findByRole('button', { name: 'Assinar: Essencial' }))
  const refusal = await screen.findByRole('alert')
  await waitFor(() => expect(broughtIntoSight).toHaveBeenCalledOnce())
  expect(broughtIntoSight.mock.contexts[0]).toBe(refusal.parentElement)
})

test.each([
  [false, 'smooth'],
  [true, 'instant'],
])('the way to the plans, where motion is to be reduced: %s, is %s', async (reduced, behavior) => {
  vi.spyOn(window, 'matchMedia').mockReturnValue({ matches: reduced } as MediaQueryList)
  const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView')
  const queries = emptyCache()
  queries.setQueryData(subscriptionKeys.current('c1'), null)
  show(queries)
  fireEvent.click(await screen.findByRole('button', { name: 'Ver Planos' }))
  expect(scrolled).toHaveBeenLastCalledWith({ behavior, block: 'start' })
  expect(document.activeElement?.textContent).toBe('Planos')
})

test('nothing is offered where what the company holds could not be read, also while it is read again', async () => {
  const get = vi.spyOn(api, 'GET').mockRejectedValue(new ApiError('INTERNAL_ERROR', { status: 500 }))
  const queries = emptyCache()
  show(queries)
  await screen.findByText('Erro ao carregar assinatura')
  await screen.findByRole('heading', { name: 'Essencial' })
  expect(screen.queryByRole('button', { name: 'Assinar: Essencial' })).toBeNull()
  get.mockReturnValue(new Promise(() => undefined) as never)
  await act(async () => {
    void queries.refetchQueries({ queryKey: subscriptionKeys.current('c1') })
    await new Promise((resolve) => setTimeout(resolve))
  })
  screen.getByRole('heading', { name: 'Essencial' })
})

test('the preview of a change ends with the right to it, and does not come back with it', async () => {
  vi.spyOn(api, 'GET').mockReturnValue(new Promise(() => undefined) as never)
  const preview = {
    changeType: 'creation',
    description: 'Nova assinatura',
    newPlan: { id: 'p1', name: 'Essencial', price: 49.9 },
    billing: { amountDue: 49.9, effectiveDate: '2026-12-22T15:00:00Z', lines: [] },
    savings: { annually: 0 },
    warnings: [],
    expiresAt: '2026-12-22T15:15:00Z',
  }
  vi.spyOn(api, 'POST').mockResolvedValue(answerOf({ preview }))
  const queries = emptyCache()
  queries.setQueryData(subscriptionKeys.current('c1'), null)
  show(queries)
  fireEvent.click(await screen.findByRole('button', { name: 'Assinar: Essencial' }))
  await screen.findByRole('dialog', { name: 'Preview da Mudança' })
  const becomes = (userRole: string) =>
    act(async () => {
      queries.setQueryData(companyKeys.list, [{ ...company, userRole }])
      await new Promise((resolve) => setTimeout(resolve))
    })
  await becomes('operator')
  expect(screen.queryByRole('dialog')).toBeNull()
  await becomes('admin')
  expect(screen.queryByRole('dialog')).toBeNull()
})
