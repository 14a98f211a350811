// Does everything work at all? Each virtual user walks once through the whole product: signs in and out, looks around,
// loses its connection and comes back without a loss, subscribes by PIX, takes true and false webhooks, and the
// administrator looks at the figures. `make test` runs it; it judges errors, gaps and losses, never times.

import { check } from 'k6'
import exec from 'k6/execution'
import { administrator, mine, people, plan } from '../lib/people.js'
import { crowd, peak } from '../lib/profiles.js'
import { WEBHOOK_SECRET, claim, deliver } from '../lib/provider.js'
import { summaryOf } from '../lib/summary.js'
import { common, liveThresholds } from '../lib/thresholds.js'
import { look } from './admin-dashboard.js'
import { browse } from './browse.js'
import { signInAndOut } from './login.js'
import { payPix } from './pix-burst.js'
import { breakAndReturn, reader } from './reconnect-storm.js'

const PEOPLE = 40
const READERS = 5

export const options = {
  ...common,
  scenarios: {
    // A busy machine needs longer than the profile says.
    smoke: { ...crowd(PEOPLE, 'walk'), maxDuration: '10m' },
  },
  thresholds: liveThresholds({}, ['live_events_total', 'live_resumes_total']),
}

export const setup = () => ({ everybody: people(peak(PEOPLE)), admin: administrator(), pix: plan('profissional') })

export async function walk(given) {
  signInAndOut(given)
  browse(given)
  look(given)
  webhooks()
  const person = mine(given.everybody)
  const readers = Array.from({ length: READERS }, () => reader(person))
  await Promise.all(readers.map(({ socket }) => socket.open()))
  await breakAndReturn(person, readers)
  readers.forEach(({ socket }) => socket.close())
  await payPix(given)
}

function webhooks() {
  const id = `evt_carga_${Date.now()}_${exec.scenario.iterationInTest}`
  const event = claim(id, 'pi_carga_of_nobody')
  // Where the secret is not known, the true ones are those that the sandbox sends when the PIX below is paid.
  const answers = WEBHOOK_SECRET ? [deliver(event), deliver(event)] : []
  answers.push(deliver(event, { secret: 'whsec_of_somebody_else', expect: [400] }))
  check(answers, { 'true, repeated and false webhooks are told apart': (all) => all.every(Boolean) })
}

export const handleSummary = summaryOf('smoke')
