// Companies subscribe by PIX, many at once: company, code, the payer pays, "approved" on the live screen, plan active.

import { check } from 'k6'
import { Trend } from 'k6/metrics'
import { get, post } from '../lib/api.js'
import { LiveSocket } from '../lib/live.js'
import { bearer, mine, people, plan } from '../lib/people.js'
import { arrivals } from '../lib/profiles.js'
import { beginPix, settle } from '../lib/provider.js'
import { summaryOf } from '../lib/summary.js'
import { common, liveThresholds } from '../lib/thresholds.js'

export const APPROVED_LIVE = 'the payment is approved live'
/** From the form's button to the code. */
const code = new Trend('pix_code_ms', true)
/** From the payer's bank to the frame that says so. */
const approved = new Trend('pix_approved_ms', true)

export const options = {
  ...common,
  scenarios: { burst: arrivals(5, 'payPix', 10) },
  thresholds: liveThresholds({ pix_code_ms: 1_000, pix_approved_ms: 3_000 }, undefined, [APPROVED_LIVE]),
}

export const setup = () => ({ everybody: people(20), pix: plan('profissional') })

export async function payPix({ everybody, pix }) {
  const person = mine(everybody)
  const founded = post('/api/companies', { token: bearer(person), body: { companyName: 'Ponto novo' }, expect: [201] })
  if (!founded.data) return
  const { id } = founded.data.company
  const told = new Map()
  const socket = new LiveSocket(
    person,
    [`company/${id}`],
    ({ name, key, data }) => name === 'payment.updated' && told.set(key, data.status),
  )
  await socket.open()
  const begun = Date.now()
  const payment = beginPix(person, id, pix)
  if (payment) {
    code.add(Date.now() - begun)
    check(payment, { 'there is a PIX code': ({ pixCode }) => Boolean(pixCode) })
    await pay(socket, payment, told)
    const { data } = get(`/api/subscriptions/company/${id}`, {
      token: bearer(person),
      name: '/api/subscriptions/company/{id}',
    })
    check(data, { 'the plan is active': (answer) => answer && answer.subscription.status === 'active' })
  }
  socket.close()
}

async function pay(socket, payment, told) {
  const paid = Date.now()
  if (!settle(payment)) return
  const isApproved = await socket.until(() => told.get(payment.id) === 'SUCCESS')
  if (isApproved) approved.add(Date.now() - paid)
  check(isApproved, { [APPROVED_LIVE]: Boolean })
}

export const handleSummary = summaryOf('pix-burst')
