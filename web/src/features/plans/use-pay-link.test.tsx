// @vitest-environment happy-dom
import type { ReactNode } from 'react'
import { cleanup, renderHook } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { subscription } from '../../../test/cache'
import type { Subscription } from '../../api/subscriptions'
import { clearNotifications, useNotifications } from '../../ui/toast'
import { usePayLink } from './use-pay-link'

afterEach(() => {
  cleanup()
  clearNotifications()
})

const own = (rest: object): Subscription =>
  subscription(1, {
    status: 'active',
    planId: 'p1',
    billingCycle: 'monthly',
    plan: {},
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
      return useNotifications().notifications.map(({ text }) => text)
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
  ['O plano gratuito não tem renovação', own({ plan: { isFree: true }, state: { kind: 'free' } })],
  ['A renovação desta empresa está em dia', own({ state: { kind: 'changing' } })],
])('where nothing is to be paid it says why: %s', (sentence, held) => {
  const { payNow, said } = follow(held)
  expect(payNow).not.toHaveBeenCalled()
  expect(said).toEqual([sentence])
})
