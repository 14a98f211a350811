// The provider talks a lot: true signatures and false ones, events of nobody, repeats, and claims that a payment
// succeeded which did not. Each is answered, none is believed: at the end the payments are as open as before.

import { check, sleep } from 'k6'
import exec from 'k6/execution'
import { post } from '../lib/api.js'
import { bearer, nth, people, plan } from '../lib/people.js'
import { arrivals } from '../lib/profiles.js'
import { beginPix, claim, deliver, paymentNow, settle } from '../lib/provider.js'
import { summaryOf } from '../lib/summary.js'
import { common, restThresholds } from '../lib/thresholds.js'

const NONE_BELIEVED = 'a claim alone approves nothing'
const STILL_PAYABLE = 'after the storm a payment goes through'
const PAYMENTS = 4
const run = Date.now().toString(36)

export const options = {
  ...common,
  scenarios: { storm: arrivals(50, 'storm') },
  thresholds: restThresholds({ 'http_req_duration{name:POST /api/payments/webhooks/stripe}': 250 }, [
    NONE_BELIEVED,
    STILL_PAYABLE,
  ]),
}

export function setup() {
  const pix = plan('profissional')
  const open = people(PAYMENTS).map((person) => {
    const { data } = post('/api/companies', {
      token: bearer(person),
      body: { companyName: 'Ponto da tempestade' },
      expect: [201],
    })
    return { person, payment: beginPix(person, data.company.id, pix) }
  })
  return { open }
}

export function storm({ open }) {
  const n = exec.scenario.iterationInTest
  const { payment } = nth(open, n)
  const id = `evt_carga_${run}_${exec.vu.idInTest}_${n}`
  const kind = n % 10
  if (kind < 5) deliver(claim(id, payment.transactionId))
  else if (kind < 7) deliver(claim(id, `pi_carga_${n}`))
  else if (kind < 9) for (let times = 0; times < 2; times += 1) deliver(claim(id, payment.transactionId))
  else deliver(claim(id, payment.transactionId), { secret: 'whsec_of_somebody_else', expect: [400, 429] })
}

export function teardown({ open }) {
  for (const { person, payment } of open) {
    const before = paymentNow(person, payment.id)
    check(before, { [NONE_BELIEVED]: (now) => now && now.status === 'PENDING' })
  }
  open.forEach(({ payment }) => settle(payment))
  for (const { person, payment } of open) {
    check(endOf(person, payment), { [STILL_PAYABLE]: (status) => status === 'SUCCESS' })
  }
}

function endOf(person, payment) {
  for (let tries = 0; tries < 60; tries += 1) {
    const now = paymentNow(person, payment.id)
    if (now && now.status === 'SUCCESS') return now.status
    sleep(1)
  }
  return 'late'
}

export const handleSummary = summaryOf('webhook-storm')
