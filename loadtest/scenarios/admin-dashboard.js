// Platform administrators look at their figures, and have them live, while people open companies.

import { check } from 'k6'
import { get, post } from '../lib/api.js'
import { LiveSocket, mark, pause } from '../lib/live.js'
import { administrator, bearer, mine, people } from '../lib/people.js'
import { SECONDS, arrivals, crowd } from '../lib/profiles.js'
import { summaryOf } from '../lib/summary.js'
import { common, liveThresholds } from '../lib/thresholds.js'

const LEAD_SECONDS = 2
const FIGURES_MOVE = 'the figures move live'
const METRICS = ['totalUsers', 'totalCompanies', 'totalSubscriptions', 'mrr', 'arr', 'churn', 'mau', 'ltv', 'cac']

export const options = {
  ...common,
  scenarios: {
    watchers: crowd(10, 'watch'),
    readers: arrivals(5, 'look'),
    work: { ...arrivals(4, 'createCompany'), startTime: `${LEAD_SECONDS}s` },
  },
  thresholds: liveThresholds({ http_req_duration: 800 }, undefined, [FIGURES_MOVE]),
}

export const setup = () => ({ admin: administrator(), everybody: people(10) })

/** The figures of a live dashboard; it must have moved by the end. */
export async function watch({ admin }) {
  let figures = null
  const socket = new LiveSocket(
    admin,
    ['admin/metrics', 'admin/activity'],
    ({ name, data }) => name === 'metrics.updated' && (figures = data),
  )
  await socket.open()
  await pause((LEAD_SECONDS + SECONDS) * 1_000)
  const moved = await socket.until(() => figures !== null)
  check(moved, { [FIGURES_MOVE]: Boolean })
  socket.close()
}

export function look({ admin }) {
  const token = bearer(admin)
  const { data } = get('/api/admin/analytics/dashboard?period=30d', { token })
  check(data, { 'all figures are there': (answer) => answer && METRICS.every((name) => name in answer.metrics) })
  get('/api/admin/analytics/metrics/mrr', { token })
  get('/api/admin/analytics/activity?limit=10', { token })
  get('/api/admin/users?page=1&limit=20', { token })
  get('/api/admin/companies?page=1&limit=20', { token })
}

export function createCompany({ everybody }) {
  const person = mine(everybody)
  post('/api/companies', {
    token: bearer(person),
    requestId: mark(),
    body: { companyName: 'Ponto contado' },
    expect: [201],
  })
}

export const handleSummary = summaryOf('admin-dashboard')
