// @vitest-environment happy-dom
import type { ReactNode } from 'react'
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, renderHook } from '@testing-library/react'
import { MemoryRouter, useLocation } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { emptyCache, subscription } from '../../../test/cache'
import { companyKeys, type Company } from '../../api/companies'
import type { Subscription } from '../../api/subscriptions'
import { CompanyProvider } from '../../auth/company'
import { useLinkedCompany } from '../../auth/use-linked-company'
import { clearToasts, useToasts } from '../../ui/toast'
import { usePayLink } from './use-pay-link'

afterEach(() => {
  cleanup()
  clearToasts()
})

const own = (rest: object): Subscription =>
  subscription(1, {
    status: 'active',
    planId: 'p1',
    billingCycle: 'monthly',
    price: 49.9,
    ...rest,
  } as Partial<Subscription>)

/** What a member who may pay hears who follows a link to the renewal. */
function follow(held: Subscription | null) {
  const payNow = vi.fn()
  const wrapper = ({ children }: { children: ReactNode }) => (
    <MemoryRouter initialEntries={['/plans?pay=renewal']}>{children}</MemoryRouter>
  )
  const { result } = renderHook(
    () => {
      usePayLink({ subscription: held, canManage: true, payNow })
      return useToasts().toasts.map(({ text }) => text)
    },
    { wrapper },
  )
  return { payNow, said: result.current }
}

test('a renewal that can be paid is paid', () => {
  const { payNow, said } = follow(own({ state: { kind: 'due', action: 'pay' } }))
  expect(payNow).toHaveBeenCalledExactlyOnceWith({ planId: 'p1', billingCycle: 'monthly' }, undefined)
  expect(said).toEqual([])
})

test.each<[string, Subscription | null]>([
  ['Esta empresa ainda não tem assinatura: escolha um plano', null],
  ['Esta empresa ainda não tem assinatura: escolha um plano', own({ status: 'pending', state: { kind: 'pending' } })],
  [
    'A assinatura está cancelada: use Reativar para manter o plano',
    own({ status: 'canceled', state: { kind: 'canceled', action: 'reactivate' } }),
  ],
  ['O plano gratuito não tem renovação', own({ price: 0, state: { kind: 'free' } })],
  ['Este plano não está mais disponível', own({ status: 'expired', state: { kind: 'expired' } })],
  ['A renovação desta empresa está em dia', own({ state: { kind: 'changing' } })],
])('where nothing is to be paid it says why: %s', (sentence, held) => {
  const { payNow, said } = follow(held)
  expect(payNow).not.toHaveBeenCalled()
  expect(said).toEqual([sentence])
})

test('the renewal of a company that is not theirs is not paid for the selected one', () => {
  const queries = emptyCache()
  queries.setQueryData(companyKeys.list, [{ id: 'c1', companyName: 'Ponto Central', userRole: 'admin' } as Company])
  const payNow = vi.fn()
  const held = own({ state: { kind: 'due', action: 'pay' } })
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>
      <MemoryRouter initialEntries={['/plans?companyId=left&pay=renewal&method=PIX&cycle=yearly']}>
        <CompanyProvider onLost={() => undefined}>{children}</CompanyProvider>
      </MemoryRouter>
    </QueryClientProvider>
  )
  const { result } = renderHook(
    () => {
      useLinkedCompany()
      usePayLink({ subscription: held, canManage: true, payNow })
      return { search: useLocation().search, said: useToasts().toasts.map(({ text }) => text) }
    },
    { wrapper },
  )
  expect(payNow).not.toHaveBeenCalled()
  expect(result.current).toEqual({ search: '?cycle=yearly', said: ['Você não tem acesso à empresa deste link'] })
})
