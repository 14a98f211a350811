// A working day: people look around, come and go, watch their company live, change it, subscribe; the provider talks;
// administrators watch their figures. All at once, each as in its own scenario.

import { people, administrator, plan } from '../lib/people.js'
import { arrivals, crowd } from '../lib/profiles.js'
import { summaryOf } from '../lib/summary.js'
import { common, liveThresholds } from '../lib/thresholds.js'

export { look, found } from './admin-dashboard.js'
export { browse } from './browse.js'
export { read, write } from './live-fanout.js'
export { signInAndOut } from './login.js'
export { payPix } from './pix-burst.js'
export { stormOn } from './reconnect-storm.js'

const LEAD = { startTime: '4s' }

export const options = {
  ...common,
  scenarios: {
    browse: arrivals(8, 'browse'),
    login: arrivals(1, 'signInAndOut', 10),
    readers: crowd(20, 'read'),
    writers: { ...arrivals(8, 'write'), ...LEAD },
    reconnects: crowd(2, 'stormOn'),
    pix: arrivals(1, 'payPix', 10),
    admins: arrivals(1, 'look'),
    companies: arrivals(1, 'found'),
  },
  thresholds: liveThresholds(
    { live_event_latency_ms: 300, http_req_duration: 600, pix_code_ms: 1_500, pix_approved_ms: 4_000 },
    ['live_events_total', 'live_resumes_total'],
  ),
}

export const setup = () => ({ everybody: people(40, 2), admin: administrator(), pix: plan('profissional') })

export const handleSummary = summaryOf('mixed')
