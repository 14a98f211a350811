// A working day: people look around, come and go, watch their company live, change it, subscribe; the provider talks;
// administrators watch their figures. All at once, each as in its own scenario.

import { people, administrator, plan } from '../lib/people.js'
import { arrivals, crowd, refuseLongRuns } from '../lib/profiles.js'
import { summaryOf } from '../lib/summary.js'
import { common, liveThresholds } from '../lib/thresholds.js'
import { LAST_CHANGE_ARRIVED } from './live-fanout.js'
import { ONESELF } from './login.js'
import { APPROVED_LIVE } from './pix-burst.js'

export { look, createCompany } from './admin-dashboard.js'
export { browse } from './browse.js'
export { read, write } from './live-fanout.js'
export { signInAndOut } from './login.js'
export { payPix } from './pix-burst.js'
export { stormOn } from './reconnect-storm.js'

// People of different scenarios do not act in the same instant of each second.
const after = (scenario, startTime) => ({ ...scenario, startTime })

export const options = {
  ...common,
  scenarios: {
    browse: arrivals(8, 'browse'),
    login: after(arrivals(1, 'signInAndOut', 10), '170ms'),
    readers: crowd(20, 'read'),
    writers: after(arrivals(8, 'write'), '4330ms'),
    reconnects: crowd(2, 'stormOn'),
    pix: after(arrivals(1, 'payPix', 10), '500ms'),
    admins: after(arrivals(1, 'look'), '670ms'),
    companies: after(arrivals(1, 'createCompany'), '830ms'),
  },
  thresholds: liveThresholds(
    { live_event_latency_ms: 300, http_req_duration: 600, pix_code_ms: 1_500, pix_approved_ms: 4_000 },
    ['live_events_total', 'live_resumes_total'],
    [LAST_CHANGE_ARRIVED, ONESELF, APPROVED_LIVE],
  ),
}

export function setup() {
  refuseLongRuns()
  return { everybody: people(40), admin: administrator(), pix: plan('profissional') }
}

export const handleSummary = summaryOf('mixed')
