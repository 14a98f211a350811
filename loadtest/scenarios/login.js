// People come and go: sign in, ask who they are, renew their tokens, leave. Password hashing is most of the work.

import { check } from 'k6'
import exec from 'k6/execution'
import { get, post } from '../lib/api.js'
import { nth, people, signIn } from '../lib/people.js'
import { arrivals } from '../lib/profiles.js'
import { summaryOf } from '../lib/summary.js'
import { common, restThresholds } from '../lib/thresholds.js'

export const ONESELF = 'signed in as oneself'

export const options = {
  ...common,
  scenarios: { login: arrivals(10, 'signInAndOut', 10) },
  thresholds: restThresholds(
    { 'http_req_duration{name:POST /api/auth/login}': 1_500, 'http_req_duration{name:GET /api/auth/me}': 300 },
    [ONESELF],
  ),
}

export const setup = () => ({ everybody: people(20) })

export function signInAndOut({ everybody }) {
  const person = nth(everybody, exec.scenario.iterationInTest)
  const { data } = signIn(person)
  if (!data) return
  const me = get('/api/auth/me', { token: data.tokens.accessToken })
  if (me.data) check(me, { [ONESELF]: ({ data: mine }) => mine.user.userEmail === person.email })
  const renewed = post('/api/auth/refresh', { body: { refreshToken: data.tokens.refreshToken } })
  if (!renewed.data) return
  post('/api/auth/logout', { body: { refreshToken: renewed.data.tokens.refreshToken }, expect: [204] })
}

export const handleSummary = summaryOf('login')
