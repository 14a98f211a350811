import { expect, it } from 'vitest'
import type { CompanyDetail } from '../../api/companies'
import { firstSteps } from './steps'

const people = (users: number, invites: number) =>
  ({ users: Array.from({ length: users }), invites: Array.from({ length: invites }) }) as Pick<
    CompanyDetail,
    'users' | 'invites'
  >
const done = (...given: Parameters<typeof firstSteps>) =>
  firstSteps(...given)
    .filter(({ isDone }) => isDone)
    .map(({ name }) => name)

it('a new company has its plan and its team still to come', () => {
  expect(done(people(1, 0), null)).toEqual(['company'])
  expect(done(people(1, 0), { status: 'pending' })).toEqual(['company'])
})

it('a running plan, a second person or an open invite ticks its step', () => {
  expect(done(people(1, 0), { status: 'active' })).toEqual(['company', 'plan'])
  expect(done(people(1, 1), null)).toEqual(['company', 'team'])
  expect(done(people(2, 0), { status: 'canceled' })).toEqual(['company', 'plan', 'team'])
})

it('a company whose plan has ended is no new one', () => {
  expect(done(people(2, 0), { status: 'expired' })).toEqual(['company', 'plan', 'team'])
})
