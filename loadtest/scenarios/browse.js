// Signed-in people look around: each iteration reads what the screens of the app read.

import { get } from '../lib/api.js'
import { bearer, mine, people } from '../lib/people.js'
import { arrivals } from '../lib/profiles.js'
import { summaryOf } from '../lib/summary.js'
import { common, restThresholds } from '../lib/thresholds.js'

export const options = {
  ...common,
  scenarios: { browse: arrivals(20, 'browse') },
  thresholds: restThresholds({ http_req_duration: 300 }),
}

export const setup = () => ({ everybody: people(50) })

export function browse({ everybody }) {
  const person = mine(everybody)
  const token = bearer(person)
  const id = person.companyId
  get('/api/auth/me', { token })
  get('/api/companies', { token })
  get(`/api/companies/${id}`, { token, name: '/api/companies/{id}' })
  get('/api/subscriptions/plans', { token })
  // 404: a company that never chose a plan.
  get(`/api/subscriptions/company/${id}`, { token, name: '/api/subscriptions/company/{id}', expect: [200, 404] })
  get(`/api/subscriptions/company/${id}/history`, { token, name: '/api/subscriptions/company/{id}/history' })
  get(`/api/payments/company/${id}?limit=10`, { token, name: '/api/payments/company/{id}' })
}

export const handleSummary = summaryOf('browse')
