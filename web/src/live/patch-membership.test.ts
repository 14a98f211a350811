// @vitest-environment happy-dom
import type { QueryClient } from '@tanstack/react-query'
import { beforeEach, describe, expect, test } from 'vitest'
import { emptyCache } from '../../test/cache'
import { meKey } from '../api/auth'
import { companyKeys, type Company, type CompanyDetail, type Member } from '../api/companies'
import { notificationsKey } from '../api/notifications'
import { paymentKeys } from '../api/payments'
import { secondFactorKey } from '../api/second-factor-key'
import { subscriptionKeys, type Subscription } from '../api/subscriptions'
import type { EventFrame, EventName } from './frames'
import { patchCache, type Patch } from './patch-cache'
import { serverNow } from './server-clock'

const detailKey = companyKeys.detail('c1')
const alfa = {
  id: 'c1',
  companyName: 'Alfa',
  companyCreatedBy: 'u1',
  status: 'active',
  createdAt: '2026-01-01T00:00:00Z',
} as const

let queries: QueryClient
beforeEach(() => {
  queries = emptyCache()
})

function event(channel: string, name: EventName, data: unknown, key = ''): Patch {
  return {
    type: 'event',
    channel,
    event: { type: 'event', channel, seq: 1, name, key, data, at: new Date(serverNow()).toISOString() } as EventFrame,
  }
}
const inCompany = (name: EventName, data: unknown, key?: string) => event('company/c1', name, data, key)
const membership = (userRole?: Company['userRole'], rest: object = {}) =>
  event('user', 'membership.changed', { ...alfa, ...rest, ...(userRole && { userRole }) }, 'c1')

const member = (id: string, rest: Partial<Member> = {}): Member => ({
  id,
  userId: `user-${id}`,
  userName: id,
  userEmail: `${id}@exemplo.com.br`,
  role: 'operator',
  status: 'active',
  isCreator: false,
  ...rest,
})
const isStale = (queryKey: readonly unknown[]) => queries.getQueryState(queryKey)?.isInvalidated ?? false
const detail = () => queries.getQueryData<CompanyDetail>(detailKey)
const list = () => queries.getQueryData<Company[]>(companyKeys.list)

describe('the people of a company', () => {
  beforeEach(() => {
    const stats = { total: 1, active: 1, admins: 1, operators: 0, finance: 0 }
    queries.setQueryData(detailKey, {
      ...alfa,
      userRole: 'admin',
      users: [member('m1', { role: 'admin' })],
      invites: [],
      stats,
      maxUsers: 10,
    } as CompanyDetail)
  })

  test('grow by a member, and the counters with them', () => {
    patchCache(queries, inCompany('member.added', member('m2'), 'm2'))
    patchCache(queries, inCompany('member.added', member('m2'), 'm2'))
    expect(detail()?.users.map(({ id }) => id)).toEqual(['m1', 'm2'])
    expect(detail()?.stats).toEqual({ total: 2, active: 2, admins: 1, operators: 1, finance: 0 })
  })
  test('change their role in place', () => {
    patchCache(queries, inCompany('member.updated', member('m1', { role: 'finance', status: 'inactive' }), 'm1'))
    expect(detail()?.users).toMatchObject([{ id: 'm1', role: 'finance' }])
    expect(detail()?.stats).toEqual({ total: 1, active: 0, admins: 0, operators: 0, finance: 1 })
  })
  test('shrink by the member that the key names', () => {
    patchCache(queries, inCompany('member.removed', null, 'm1'))
    expect(detail()?.users).toEqual([])
    expect(detail()?.stats.total).toBe(0)
  })
  test('are invited and taken back', () => {
    const invite = { id: 'i1', userEmail: 'ana@exemplo.com.br', role: 'operator', expiresAt: '2026-01-08T00:00:00Z' }
    patchCache(queries, inCompany('invite.created', invite, 'i1'))
    expect(detail()?.invites).toEqual([invite])
    patchCache(queries, inCompany('invite.removed', null, 'i1'))
    expect(detail()?.invites).toEqual([])
  })
  test('of a company that nobody has opened are not made up', () => {
    queries.removeQueries({ queryKey: detailKey })
    patchCache(queries, inCompany('member.added', member('m2'), 'm2'))
    expect(detail()).toBeUndefined()
  })
  test('are read again when their answer was under way', async () => {
    queries.removeQueries({ queryKey: detailKey })
    const read = queries
      .fetchQuery({ queryKey: detailKey, queryFn: async () => ({ users: [] }) })
      .catch(() => undefined)
    patchCache(queries, inCompany('member.added', member('m2'), 'm2'))
    expect(isStale(detailKey)).toBe(true)
    await read
  })
})

describe('a membership', () => {
  test('with another role changes the list, and what the role may read is read again', () => {
    queries.setQueryData(companyKeys.list, [{ ...alfa, userRole: 'admin' }])
    queries.setQueryData(paymentKeys.methods('c1'), [])
    queries.setQueryData(paymentKeys.methods('c2'), [])
    patchCache(queries, membership('operator'))
    expect(list()).toMatchObject([{ id: 'c1', userRole: 'operator' }])
    expect(isStale(paymentKeys.methods('c1'))).toBe(true)
    expect(isStale(paymentKeys.methods('c2'))).toBe(false)
  })
  test('without a role is over: the company leaves the list at once', () => {
    queries.setQueryData(companyKeys.list, [{ ...alfa, userRole: 'admin' }])
    queries.setQueryData(meKey, { id: 'u9' })
    queries.setQueryData(notificationsKey, { pages: [], pageParams: [] })
    patchCache(queries, membership())
    expect(list()).toEqual([])
    expect(isStale(notificationsKey)).toBe(true)
    expect(isStale(companyKeys.list)).toBe(true)
    expect(isStale(meKey)).toBe(true)
  })
  test('that becomes one without money takes the open payment and the card away before the server answers', () => {
    const [payment, state] = [{ id: 'p1' }, { kind: 'renews', amount: 99.9, card: { brand: 'visa', last4: '4242' } }]
    queries.setQueryData(companyKeys.list, [{ ...alfa, userRole: 'admin' }])
    queries.setQueryData(subscriptionKeys.current('c1'), { id: 's1', version: 1, payment, state } as Subscription)
    const shown = () => queries.getQueryData<Subscription>(subscriptionKeys.current('c1'))
    patchCache(queries, membership('finance'))
    expect(shown()).toMatchObject({ payment, state })
    patchCache(queries, membership('operator'))
    expect(shown()).toEqual({ id: 's1', version: 1, state: { kind: 'renews', amount: 99.9 } })
  })
  test('that is new joins the list', () => {
    queries.setQueryData(companyKeys.list, [])
    patchCache(queries, membership('finance'))
    expect(list()).toMatchObject([{ id: 'c1', userRole: 'finance' }])
  })
})

describe('a change of the person alone', () => {
  test('reads person, companies and second factors again', () => {
    queries.setQueryData(companyKeys.list, [{ ...alfa, userRole: 'operator' }])
    queries.setQueryData(meKey, { id: 'u1' })
    queries.setQueryData(secondFactorKey, { enabled: false })
    const changed = event('user', 'membership.changed', null, 'u1')
    patchCache(queries, changed)
    expect(list()).toMatchObject([{ id: 'c1', userRole: 'operator' }])
    expect([companyKeys.list, meKey, secondFactorKey].map(isStale)).toEqual([true, true, true])
  })
})

describe('a company', () => {
  test('that was deleted makes the list be read again', () => {
    queries.setQueryData(companyKeys.list, [])
    patchCache(queries, inCompany('company.deleted', null))
    expect(isStale(companyKeys.list)).toBe(true)
  })
  test('is renamed in the list that shows it, its role kept', () => {
    queries.setQueryData(companyKeys.list, [{ id: 'c1', companyName: 'Alfa', userRole: 'finance' } as Company])
    patchCache(queries, inCompany('company.updated', { id: 'c1', companyName: 'Beta', userRole: 'admin' }))
    expect(queries.getQueryData(companyKeys.list)).toMatchObject([{ companyName: 'Beta', userRole: 'finance' }])
  })
  test('takes what its event tells where it is shown, also that its description is gone', () => {
    const shown = { id: 'c1', companyName: 'Alfa', companyDescription: 'Antes', status: 'active' }
    const other = { id: 'c2', companyName: 'Outra', status: 'active' }
    queries.setQueryData(companyKeys.list, [other, shown])
    queries.setQueryData(companyKeys.detail('c1'), { ...shown, users: [] })
    for (const id of ['c1', 'c2']) queries.setQueryData(subscriptionKeys.current(id), null)
    patchCache(queries, inCompany('company.updated', { id: 'c1', companyName: 'Alfa', status: 'suspended' }))
    expect(['c1', 'c2'].map((id) => isStale(subscriptionKeys.current(id)))).toEqual([true, false])
    const changed = { id: 'c1', companyName: 'Alfa', companyDescription: undefined, status: 'suspended' }
    expect(queries.getQueryData(companyKeys.list)).toEqual([other, changed])
    expect(queries.getQueryData(companyKeys.detail('c1'))).toEqual({ ...changed, users: [] })
    queries.setQueryData(subscriptionKeys.current('c1'), null)
    const rename = { id: 'c1', companyName: 'Beta', companyDescription: 'B', status: 'suspended' }
    patchCache(queries, inCompany('company.updated', rename))
    expect(isStale(subscriptionKeys.current('c1')), 'a rename changes no offer').toBe(false)
    const renamed = { id: 'c1', companyName: 'Beta', companyDescription: 'B', status: 'suspended' }
    expect(queries.getQueryData(companyKeys.list)).toEqual([other, renamed])
  })
  test('that nobody has opened stays out of the cache', () => {
    patchCache(queries, inCompany('company.updated', { id: 'c1', companyName: 'Beta' }))
    expect(queries.getQueryData(companyKeys.list)).toBeUndefined()
    expect(queries.getQueryData(companyKeys.detail('c1'))).toBeUndefined()
  })
  test('that the list does not show stays out of it', () => {
    queries.setQueryData(companyKeys.list, [])
    patchCache(queries, inCompany('company.updated', { id: 'c1', companyName: 'Beta' }))
    expect(list()).toEqual([])
  })
})
